# For hooks: . "$(dirname "$0")/../lib/functions.sh"
# It is in a folder called lib, so it is not a hook itself.

namespace=${POD_NAMESPACE:-default}

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# Asks for a ConfigMap: operation, name, and its data as JSON on standard input.
put_configmap() {
  jq -c --arg operation "$1" --arg name "$2" --arg namespace "$namespace" '
    {$operation, object: {apiVersion: "v1", kind: "ConfigMap", metadata: {$name, $namespace}, data: .}}
  ' >> "$KUBERNETES_PATCH_PATH"
}
