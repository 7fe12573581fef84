#!/usr/bin/env bash

# Ends the run: its work cannot be done yet, which is no failure. It runs again after a duration such as 30s.
function result::later() {
  result::end 75 later "${2:-}" --arg retryAfter "$1" '.retryAfter = $retryAfter'
}

# Ends the run: it failed, and another attempt is useless until its input changes.
function result::permanent() {
  result::end 78 permanent "${2:-}" --arg reason "$1" '.reason = $reason'
}

# Sets a condition in the status of the object of the current context: result::condition Ready False NoQuorum "text".
function result::condition() {
  local -r set='part(.conditions = [(.conditions // [])[] | select(.type != $type)]
    + [{type: $type, status: $status, reason: $reason, message: $message | short}])'
  result::update --arg type "$1" --arg status "$2" --arg reason "$3" --arg message "$(result::cut "${4:-}")" "$set"
}

# Records an Event about the object of the current context: result::event Warning NoQuorum "text".
function result::event() {
  local -r add='part(.events += [{type: $type, reason: $reason, message: $message | short}])'
  result::update --arg type "$1" --arg reason "$2" --arg message "$(result::cut "${3:-}")" "$add"
}

# The same, told once for the object and a key: result::event_once "$repair_uid" Normal Repaired "text".
function result::event_once() {
  local -r add='part(.events += [{type: $type, reason: $reason, message: $message | short, once: $once}])'
  result::update --arg once "$1" --arg type "$2" --arg reason "$3" --arg message "$(result::cut "${4:-}")" "$add"
}

# Says that the object of the current context is not worked on until something changes; the function goes on:
# result::refuse TooSmall "spec.size is 1, expected 3 or more"; return
function result::refuse() {
  local -r set='part(.refused = {reason: $reason, message: $message | short})'
  result::update --arg reason "$1" --arg message "$(result::cut "${2:-}")" "$set"
}

# Keeps a JSON value of at most 64 KiB with the object of the current Reconcile, as an argument or on standard input;
# the next run has it as context::get state. `null` keeps nothing.
function result::state() {
  local value
  if (($# > 0)); then
    value=$1
  else
    value=$(cat)
  fi
  # Through a file: the value may be larger than an argument can be.
  local -r expected='result::state: expected one JSON value, such as null to keep nothing'
  result::update --arg expected "$expected" --slurpfile state <(printf '%s' "$value") \
    'if ($state | length) != 1 then error($expected) else part(.state = $state[0]) end'
}

# Sets further fields in the status of the object of the current context, given as a JSON object.
function result::status() {
  result::update --argjson fields "$1" 'part(.status = (.status // {}) + $fields)'
}

# Says when to run again after a success.
function result::retry_after() {
  result::update --arg retryAfter "$1" 'part(.retryAfter = $retryAfter)'
}

# The context with this index failed, the others did not: result::context_failed 2 NoQuorum "text".
function result::context_failed() {
  local -r set='part(. + {outcome: "failed", reason: $reason, message: $message | short})'
  BINDING_CONTEXT_CURRENT_INDEX=$1 \
    result::update --arg reason "$2" --arg message "$(result::cut "${3:-}")" "$set"
}

# The work on the context with this index cannot be done yet: result::context_later 2 30s "text".
function result::context_later() {
  local -r set='part(. + {outcome: "later", retryAfter: $retryAfter, message: $message | short})'
  BINDING_CONTEXT_CURRENT_INDEX=$1 \
    result::update --arg retryAfter "$2" --arg message "$(result::cut "${3:-}")" "$set"
}

# A JSON value of at most 64 KiB that is kept with the run.
function result::output() {
  result::update --argjson output "$1" '.output = $output'
}

# Writes the outcome of the whole run, and exits.
function result::end() {
  local -r code=$1 outcome=$2 text=$3
  local -r set=". + {outcome: \$outcome} | if \$message == \"\" then . else .message = (\$message | short) end"
  result::update --arg outcome "$outcome" --arg message "$(result::cut "$text")" "${@:4:3}" "$set | ${*: -1}"
  # A runner that reads no results still has the exit code, and the text.
  [[ -n ${RESULT_PATH:-} ]] || echo "$outcome: $text" >&2
  exit "$code"
}

# Changes the result file with a jq program, which gets `part(f)`: f on what is said about the current context, or about
# the whole run where there is none.
function result::update() {
  [[ -n ${RESULT_PATH:-} ]] || return 0
  local text
  local -r functions='
    def short: if utf8bytelength <= 1024 then . else .[0:1021] | until(utf8bytelength <= 1021; .[0:-1]) + "…" end;
    def part(f): if $index == null then f else .contexts = ((.contexts // [])
      | if any(.[]; .index == $index) then . else . + [{index: $index}] end
      | map(if .index == $index then f else . end)) end;'
  text=$(< "$RESULT_PATH")
  text=$(jq -c --argjson index "${BINDING_CONTEXT_CURRENT_INDEX:-null}" "${@:1:$#-1}" "$functions ${*: -1}" <<< "${text:-{\}}")
  printf '%s\n' "$text" > "$RESULT_PATH"
}

# The beginning of a text, short enough for an argument of jq.
function result::cut() {
  printf '%s' "${1:0:1100}"
}
