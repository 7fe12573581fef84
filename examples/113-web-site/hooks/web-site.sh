#!/bin/sh
# Serves the pages of each WebSite: a ConfigMap with the pages, a Deployment of nginx, and a Service.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
reconcile:
  - name: web-sites
    apiVersion: example.hooklet.dev/v1
    kind: WebSite
    namespace: {nameSelector: {matchNames: ["${POD_NAMESPACE:-default}"]}}
    owns:
      - {apiVersion: v1, kind: ConfigMap}
      - {apiVersion: apps/v1, kind: Deployment}
      - {apiVersion: v1, kind: Service}
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# Pods see new pages at once, not only when the kubelet looks again.
pages=$(jq -cS '.[0].object.spec.pages' "$BINDING_CONTEXT_PATH" | sha256sum | cut -d ' ' -f 1)

jq -c --arg pages "$pages" '
  .[0].object
  | .metadata.name as $name
  | {app: $name} as $labels
  | {metadata: {name: $name, labels: $labels}} as $meta
  | {
      children: [
        $meta + {apiVersion: "v1", kind: "ConfigMap", data: .spec.pages},
        $meta + {apiVersion: "v1", kind: "Service", spec: {selector: $labels, ports: [{port: 80, targetPort: 8080}]}},
        $meta + {
          apiVersion: "apps/v1",
          kind: "Deployment",
          spec: {
            replicas: (.spec.replicas // 1),
            selector: {matchLabels: $labels},
            template: {
              metadata: {labels: $labels, annotations: {"example.hooklet.dev/pages": $pages}},
              spec: {
                containers: [{
                  name: "nginx",
                  image: "nginxinc/nginx-unprivileged:1.29",
                  ports: [{containerPort: 8080}],
                  volumeMounts: [{name: "pages", mountPath: "/usr/share/nginx/html"}]
                }],
                volumes: [{name: "pages", configMap: {name: $name}}]
              }
            }
          }
        }
      ],
      status: {url: "http://\($name).\(.metadata.namespace).svc"}
    }
' "$BINDING_CONTEXT_PATH" > "$RESULT_PATH"
