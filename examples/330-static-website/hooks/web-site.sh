#!/usr/bin/env bash
# Serves WebSites: for each a ConfigMap with its content, a Deployment of nginx, a Service and, where asked for, a route.
source "${HOOKLET_SHELL_LIB:-/shell_lib.sh}"

# The label of a ConfigMap with content names its site; the annotation of what is made has the hash of the content.
readonly SITE=web.example.hooklet.dev/site HASH=web.example.hooklet.dev/content LIB=${BASH_SOURCE[0]%/*}/lib

function __config__() { sed "s/\$NAMESPACE/${POD_NAMESPACE:-default}/; s|\$SITE|$SITE|" "$LIB/config.yaml"; }

# The API server asks before it stores a WebSite.
function __on_validating::websites.web.example.hooklet.dev() {
  context::jq -j -f "$LIB/problems.jq" \
    | jq -Rsc '{allowed: (. == "")} + if . == "" then {} else {message: .} end' > "$ADMISSION_RESPONSE_PATH"
}

function __on_reconcile::web-sites() {
  local fields problem hash='' name url source archive sum served looks
  tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
  problem=$(context::jq -j -f "$LIB/problems.jq")
  # It was stored without asking: nothing is touched.
  if [[ -n $problem ]]; then result::refuse SpecRefused "$problem" && return; fi
  # Each value is one quoted word for the shell, whatever is in it: others may write the status.
  fields=$(context::jq -r '.object as {$metadata, $spec, $status}
    | {name: $metadata.name, url: "http://\($metadata.name).\($metadata.namespace).svc:8080/", source: $spec.configMap,
      archive: $spec.archive.url, sum: $spec.archive.sha256, served: $status.content, looks: .previous.looks}
    | to_entries[] | "\(.key)=\(.value // "" | tostring | @sh)"')
  eval "$fields"
  [[ $looks =~ ^[0-9]{1,4}$ ]] || looks=0
  if [[ -n $source ]]; then from_config_map; else from_archive; fi
  if [[ -n $problem ]]; then
    result::refuse ContentRefused "$problem. What was served before stays." && result::retry_after 5m
    # The site goes on with the content that was served, that it has, or that is left; all else in the spec counts.
    hash=$(context::jq -r --arg key $HASH '[.owned.ConfigMap[].object.metadata.annotations[$key]] as $kept
      | [.object.status.content, .owned["Deployment.apps"][0].object.spec.template.metadata.annotations[$key], $kept[]]
      | map(select(IN($kept[]))) | first // ""')
    kept "$hash" > "$tmp/content" && [[ -s $tmp/content ]] || return 0
  elif is_ready; then
    result::condition Ready True Served "GET $url is answered with the content of the spec"
    result::status "{\"url\": \"$url\", \"content\": \"$hash\"}"
    served=$hash
  fi
  # Until the new content has been served, Pods with that of before may start again.
  { cat "$tmp/content" && kept "$served"; } > "$tmp/contents"
  context::jq -c --arg hash "$hash" --arg served "$served" --arg key $HASH --slurpfile contents "$tmp/contents" \
    -f "$LIB/children.jq" | hooklet::child
}

# Writes the content, as fields of a ConfigMap, and the first page to files, and sets `hash`; or sets `problem`.
function from_config_map() {
  context::jq -cS --arg name "$source" '.watched.content[].object | select(.metadata.name == $name)
    | {data, binaryData} | with_entries(select(.value))' > "$tmp/content"
  hash=$(sha256sum < "$tmp/content" | head -c 64)
  jq -r '(.data["index.html"] // "" | @base64), .binaryData["index.html"] // ""' "$tmp/content" | base64 -d > "$tmp/page"
  [[ -s $tmp/page ]] || problem="the ConfigMap $source has no index.html, or an empty one; add it"
  [[ -s $tmp/content ]] || problem="there is no ConfigMap $source with the label $SITE=$name; make it, or label it so"
}

# Likewise. What is kept in the cluster is not fetched again, so that a site outlives the server that it came from.
function from_archive() {
  hash=$sum
  kept "$hash" | jq -r '.binaryData["site.tar.gz"] // ""' | base64 -d > "$tmp/archive"
  problem=$(timeout 45 "$BASH" "$LIB/archive.sh" "$archive" "$hash" "$tmp") \
    || problem="$archive is not read and judged within 45 s"
  base64 -w 0 "$tmp/archive" | jq -Rsc '{binaryData: {"site.tar.gz": .}}' > "$tmp/content"
}

# Prints the content with this hash, where a ConfigMap of the site has it.
function kept() {
  context::jq -c --arg hash "$1" --arg key $HASH '.owned.ConfigMap[].object | select(.metadata.annotations[$key] == $hash)
    | {data, binaryData} | with_entries(select(.value))'
}

# Whether all is rolled out and a GET of the site is answered with the first page; else the condition says what is missing.
function is_ready() {
  local -r missing=$(context::jq -r --arg hash "$hash" --arg key $HASH -f "$LIB/missing.jq")
  if [[ -n $missing ]]; then
    result::condition Ready False RollingOut "$missing" && return 1
  elif ! curl -sSf --globoff --max-time 10 --max-filesize 64000000 -o "$tmp/got" "$url" 2> "$tmp/told"; then
    result::condition Ready False NotServed "GET $url: $(head -c 300 "$tmp/told")"
  elif ! cmp -s "$tmp/got" "$tmp/page"; then
    result::condition Ready False NotServed "GET $url is answered with $(wc -c < "$tmp/got") bytes of the sha256 \
$(sha256sum < "$tmp/got" | head -c 64), expected the index.html of the spec, of $(wc -c < "$tmp/page") bytes"
  else
    return 0
  fi
  # What comes next is no change of an object: it looks again soon, and less and less often.
  result::output "{\"looks\": $((looks + 1))}"
  result::retry_after "$((looks < 8 ? 2 ** (looks + 1) : 300))s" && return 1
}

hook::run "$@"
