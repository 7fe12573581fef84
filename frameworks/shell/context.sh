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

# Prints what is at a path such as object.metadata.labels."app.kubernetes.io/name", objects.0.object or
# 'objects | length', text without quotes, and null where there is nothing; with --required that is an error.
function context::get() {
  local is_required=no program
  while [[ ${1:-} == --required ]]; do
    is_required=yes
    shift
  done
  if [[ $is_required == yes ]] && ! context::has "${1:-}"; then
    echo "the binding context has no ${1:-}, which is required" >&2
    return 1
  fi
  program=$(context::_convert_user_path_to_jq_path "${1:-}")
  context::jq -r "$program"
}

# Whether there is something at the path, be it null. The last key of the path stands after a dot.
function context::has() {
  local key holder
  key=$(context::_basename "${1:-}")
  holder=$(context::_dirname "${1:-}")
  holder=$(context::_convert_user_path_to_jq_path "$holder")
  [[ $key =~ ^[0-9]+$ ]] || key="\"$key\""
  context::jq -e "$holder | has($key)" > /dev/null
}

function context::is_true() {
  context::_equals "${1:-}" true
}

function context::is_false() {
  context::_equals "${1:-}" false
}

# Also where there is nothing.
function context::is_null() {
  context::_equals "${1:-}" null
}

function context::_equals() {
  local program
  program=$(context::_convert_user_path_to_jq_path "$1")
  context::jq -e "$program == $2" > /dev/null
}

# Makes a jq program of a path: a.b-c.0."x.y" becomes .a."b-c"[0]."x.y". Between two dots, a part with a dash is
# quoted, and a number is an index; single quotes are double ones. All else is passed on, so a path may be any piece
# of jq that begins with a key.
function context::_convert_user_path_to_jq_path() {
  local path=${1:-} line rest part joined program=''
  # The dot before the first key may be there, and is not written twice.
  local -r dotted="^\\.[A-Za-z_\"']"
  [[ ! $path =~ $dotted ]] || path=${path#.}
  while IFS= read -r line; do
    rest=$(context::_hide_dots "$line").
    joined=''
    while [[ -n $rest ]]; do
      part=${rest%%.*}
      rest=${rest#*.}
      if [[ $part =~ ^[0-9]+$ ]]; then
        joined+="[$part]"
      elif [[ $part == *-* && $part != *\"* ]]; then
        joined+=".\"$part\""
      else
        joined+=.$part
      fi
    done
    program+=${joined#.}$'\n'
  done <<< "$path"
  program=${program%$'\n'}
  printf '.%s\n' "${program//$'\x1f'/.}"
}

# The path without its last part.
function context::_dirname() {
  local path
  path=$(context::_hide_dots "${1:-}")
  [[ $path == *.* ]] || path=''
  path=${path%.*}
  printf '%s\n' "${path//$'\x1f'/.}"
}

# The last part of the path, without the quotes around it.
function context::_basename() {
  local path
  path=$(context::_hide_dots "${1:-}")
  path=${path##*.}
  [[ $path != \"*\" ]] || path=${path:1:-1}
  printf '%s\n' "${path//$'\x1f'/.}"
}

# Makes double quotes of single ones, and the byte 1f of each dot between quotes, so that it parts no keys. Between
# quotes that begin with a dot there is no key, and what ends with one ends there.
function context::_hide_dots() {
  local rest=${1//\'/\"} result='' piece last
  [[ $rest == *\"* ]] || { printf '%s\n' "$rest"; return; }
  result=${rest%%\"*}
  rest=${rest#*\"}
  while [[ $rest == *\"* ]]; do
    piece=${rest%%\"*}
    rest=${rest#*\"}
    if [[ $piece != .* && ${#piece} -gt 1 ]]; then
      last=${piece: -1}
      piece=${piece%?}
      piece=${piece//./$'\x1f'}$last
    fi
    result+="\"$piece"
  done
  printf '%s\n' "$result\"$rest"
}
