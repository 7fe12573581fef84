#!/usr/bin/env bash

# jq on all binding contexts of the run.
function context::global::jq() {
  jq "$@" "$BINDING_CONTEXT_PATH"
}

# jq on the context that is handled now, or that BINDING_CONTEXT_CURRENT_INDEX was set to.
function context::jq() {
  if [[ ${SHELL_LIB_CONTEXT_INDEX:-} == "$BINDING_CONTEXT_CURRENT_INDEX" ]]; then
    jq "$@" <<< "$SHELL_LIB_CONTEXT"
  else
    context::global::jq -c ".[$BINDING_CONTEXT_CURRENT_INDEX]" | jq "$@"
  fi
}

# Prints the value at a path such as object.metadata.labels."app.kubernetes.io/name" or objects.0.object, text without
# quotes, and null where there is none; with --required that is an error.
function context::get() {
  local is_required=no path
  if [[ ${1:-} == --required ]]; then
    is_required=yes
    shift
  fi
  if [[ $is_required == yes ]] && ! context::has "${1:-}"; then
    echo "the binding context has no ${1:-}, which is required" >&2
    return 1
  fi
  path=$(context::path "${1:-}")
  context::jq -r --argjson path "$path" 'getpath($path)'
}

# Whether there is something at the path, be it null.
function context::has() {
  context::test "${1:-}" 'try (getpath($path[:-1]) | has($path[-1])) catch false'
}

function context::is_true() {
  context::test "${1:-}" 'getpath($path) == true'
}

function context::is_false() {
  context::test "${1:-}" 'getpath($path) == false'
}

# Also where there is nothing.
function context::is_null() {
  context::test "${1:-}" 'getpath($path) == null'
}

function context::test() {
  local path
  path=$(context::path "$1") || return
  context::jq -e --argjson path "$path" "$2" > /dev/null
}

# Turns a.b-c.0."x.y" into ["a","b-c",0,"x.y"].
function context::path() {
  local rest=${1#.} keys=''
  local -r quoted='^"([^"]*)"(\.(.+))?$' index='^([0-9]+)(\.(.+))?$' plain='^([^."]+)(\.(.+))?$'
  while [[ -n $rest ]]; do
    if [[ $rest =~ $index ]]; then
      keys+=",${BASH_REMATCH[1]}"
    elif [[ $rest =~ $quoted || $rest =~ $plain ]]; then
      keys+=",\"${BASH_REMATCH[1]//\\/\\\\}\""
    else
      echo "\"$1\" is no path at \"$rest\": write a.b-c.0.\"x.y\"" >&2
      return 1
    fi
    rest=${BASH_REMATCH[3]:-}
  done
  echo "[${keys#,}]"
}
