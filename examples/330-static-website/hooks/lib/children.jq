# All objects of a WebSite. $contents[0] is served, with $hash; $contents[1], where there is one, was so before, with $served.
.object.spec as $spec | .object.metadata.name as $name
| {"app.kubernetes.io/name": "web-site", "app.kubernetes.io/instance": $name} as $labels
| {name: $name, labels: $labels} as $metadata
| {image: "nginxinc/nginx-unprivileged:1.29",
    securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: ["ALL"]}},
    resources: {requests: {cpu: "10m", memory: "16Mi"}, limits: {memory: "128Mi"}}} as $nginx
# A ConfigMap that is served has an index.html, and may offer a site.tar.gz beside it.
| ($contents[0] | (.data // {}) + (.binaryData // {}) | keys == ["site.tar.gz"]) as $packed
| {configMap: {name: "\($name)-\($hash[:10])"}} as $kept
# Content never changes under its name, so Pods start anew with it, and for nothing else.
| ([{hash: $hash, fields: $contents[0]}, {hash: $served, fields: $contents[1]}] | unique_by(.hash)[] | select(.fields)
    | {apiVersion: "v1", kind: "ConfigMap", immutable: true,
        metadata: {name: "\($name)-\(.hash[:10])", labels: $labels, annotations: {($key): .hash}}} + .fields),
  {apiVersion: "v1", kind: "Service", metadata: $metadata,
    spec: {selector: $labels, ports: [{name: "http", port: 8080, targetPort: "http"}]}},
  {apiVersion: "apps/v1", kind: "Deployment", metadata: $metadata, spec: {
    replicas: ($spec.replicas // 1),
    selector: {matchLabels: $labels},
    # A Pod of before goes when one with the new content answers.
    strategy: {type: "RollingUpdate", rollingUpdate: {maxUnavailable: 0, maxSurge: 1}},
    progressDeadlineSeconds: 120,
    template: {metadata: {labels: $labels, annotations: {($key): $hash}}, spec: {
      automountServiceAccountToken: false,
      securityContext: {runAsNonRoot: true, runAsUser: 101, seccompProfile: {type: "RuntimeDefault"}},
      initContainers: [if $packed then $nginx + {name: "unpack", command: ["tar", "-xzf", "/kept/site.tar.gz", "-C", "/site"],
        volumeMounts: [{name: "kept", mountPath: "/kept"}, {name: "site", mountPath: "/site"}]} else empty end],
      containers: [$nginx + {name: "nginx", ports: [{name: "http", containerPort: 8080}],
        readinessProbe: {httpGet: {path: "/", port: "http"}, periodSeconds: 2},
        volumeMounts: [{name: "site", mountPath: "/usr/share/nginx/html", readOnly: true}, {name: "tmp", mountPath: "/tmp"}]}],
      volumes: ([{name: "tmp", emptyDir: {}}] + if $packed
        then [{name: "kept"} + $kept, {name: "site", emptyDir: {sizeLimit: "100Mi"}}] else [{name: "site"} + $kept] end)
    }}}},
  if $spec.route == null then empty
  elif $spec.route.gateway then {apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata: $metadata, spec: {
    parentRefs: [{name: $spec.route.gateway}], hostnames: [$spec.route.host], rules: [{backendRefs: [{name: $name, port: 8080}]}]}}
  else {apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: $metadata, spec: ({rules: [{host: $spec.route.host,
    http: {paths: [{path: "/", pathType: "Prefix", backend: {service: {name: $name, port: {number: 8080}}}}]}}]}
    + if $spec.route.ingressClass then {ingressClassName: $spec.route.ingressClass} else {} end)}
  end
