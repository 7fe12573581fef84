# What is missing until all Pods of a WebSite serve the content of $hash; empty where nothing is.
.object.spec as $spec | .owned as $owned | ($spec.replicas // 1) as $replicas
| ($owned["Deployment.apps"][0].object // null) as $deployment
| {Service: $owned.Service, Ingress: $owned["Ingress.networking.k8s.io"], HTTPRoute: $owned["HTTPRoute.gateway.networking.k8s.io"]} as $others
| (if $spec.route == null then "Service" elif $spec.route.gateway then "HTTPRoute" else "Ingress" end) as $route
| if $deployment == null or $others.Service == [] or $others[$route] == [] then "the objects of the site are being made"
  elif $deployment.spec.template.metadata.annotations[$key] != $hash or $deployment.spec.replicas != $replicas
    or $deployment.metadata.generation > ($deployment.status.observedGeneration // 0) then "the Deployment is being changed"
  elif [$deployment.status | .replicas, .updatedReplicas, .availableReplicas] == [$replicas, $replicas, $replicas] then ""
  else "\($deployment.status.updatedReplicas // 0) of \($replicas) Pods have the content of the spec, \(
    $deployment.status.availableReplicas // 0) are available"
    + ([$deployment.status.conditions[]? | select(.type == "Progressing" and .status == "False") | ": " + .message] | add // "")
  end
