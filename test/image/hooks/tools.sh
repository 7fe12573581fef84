#!/bin/sh
# Uses the programs of the image, and the ServiceAccount of the pod.
set -eu

if [ "${1:-}" = --config ]; then
  echo '{"configVersion": "v1", "onStartup": 3}'
  exit
fi

api=https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT
account=/var/run/secrets/kubernetes.io/serviceaccount
version=$(curl --silent --fail --cacert "$account/ca.crt" "$api/version" | jq -r .gitVersion)
allowed=$(kubectl auth can-i list secrets --all-namespaces || true)
echo "tools hook, server $version, may list secrets: $allowed"
