#!/usr/bin/env bash
# Asks the hosts of each Ingress for their certificates, and writes on the Ingress until when they are valid.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
reconcile:
  - name: certificates
    apiVersion: networking.k8s.io/v1
    kind: Ingress
    # What is written below is no reason to look again.
    jqFilter: "[.spec.tls[]?.hosts[]?]"
    resyncPeriod: 1h
    # So many runs at the same time, on all workers together.
    concurrency: 100
settings:
  timeout: 1m
YAML
  exit
fi

fail() { echo "$*" >&2; exit 1; }
# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# No certificate can be asked for of *.example.com.
mapfile -t hosts < <(jq -r '[.[0].object.spec.tls[]?.hosts[]? | select(startswith("*") | not)] | unique[]' "$BINDING_CONTEXT_PATH")
((${#hosts[@]} > 0)) || exit 0

first='' soon=$(date -u -d '+14 days' +%F)
for host in "${hosts[@]}"; do
  # The certificate is wanted, whatever is wrong with it, and not the answer.
  said=$(curl --silent --verbose --insecure --head --output /dev/null --max-time 10 "https://$host/" 2>&1) || true
  expires=$(sed -n 's/^\* *expire date: //p' <<< "$said")
  [[ -n $expires ]] || fail "$host shows no certificate: ${said##*$'\n'}"
  until=$(date -u -d "$expires" +%F)
  [[ -n $first && $first < $until ]] || first=$until
done

label=example.hooklet.dev/certificate-until
jq -c --arg key "$label" --arg until "$first" '.[0].object | select(.metadata.labels[$key] != $until) | {
  operation: "MergePatch", apiVersion, kind, namespace: .metadata.namespace, name: .metadata.name,
  mergePatch: {metadata: {labels: {($key): $until}}}
}' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
[[ $first > $soon ]] || jq -n --arg until "$first" '{
  events: [{type: "Warning", reason: "CertificateExpires", message: "a certificate is valid until \($until)", once: "until \($until)"}]
}' > "$RESULT_PATH"
