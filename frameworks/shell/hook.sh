#!/usr/bin/env bash

# Prints the config for --config, and exits; else calls, for one binding context after the other, the first function of
# the hook that fits it. Each call is in a subshell, so what it sets is gone at its end.
function hook::run() {
  if [[ ${1:-} == --config ]]; then
    __config__
    exit 0
  fi
  local text lines line handlers
  # For each context a line with what decides, and the context itself. The separator is no white space, so that empty
  # fields stay; all goes into a variable first, so that a failure counts.
  text=$(context::global::jq -r ".[] | $(hook::fields), tojson")
  [[ -n $text ]] || return 0
  mapfile -t lines <<< "$text"
  export BINDING_CONTEXT_CURRENT_INDEX BINDING_CONTEXT_CURRENT_BINDING
  for ((line = 0; line < ${#lines[@]}; line += 2)); do
    BINDING_CONTEXT_CURRENT_INDEX=$((line / 2))
    BINDING_CONTEXT_CURRENT_BINDING=${lines[line]%%$'\x1f'*}
    # Not exported: it may be larger than an environment can be.
    SHELL_LIB_CONTEXT=${lines[line + 1]}
    SHELL_LIB_FIELDS=${lines[line]#*$'\x1f'}
    SHELL_LIB_CONTEXT_INDEX=$BINDING_CONTEXT_CURRENT_INDEX
    handlers=$(hook::_get_possible_handler_names)
    hook::_run_first_available_handler "$handlers"$'\n'__main__
  done
}

# Calls the first function that exists, of names in lines.
function hook::_run_first_available_handler() {
  local handler on_error exit_code
  on_error=$(trap -p ERR)
  while IFS= read -r handler; do
    [[ -n $handler ]] && declare -F "$handler" > /dev/null || continue
    # The subshell reports what fails: here it would be said twice.
    trap - ERR
    (
      eval "$on_error"
      "$handler"
    )
    exit_code=$?
    eval "$on_error"
    return "$exit_code"
  done <<< "$1"
  echo "no function for binding context ${BINDING_CONTEXT_CURRENT_INDEX:-}, define one of: ${1//$'\n'/, }" >&2
  return 1
}

# Prints the functions that fit the context that is handled now, the most special first, a line each; that for all of
# them, __main__, is not among them.
function hook::_get_possible_handler_names() {
  local -r on=__on_kubernetes::$BINDING_CONTEXT_CURRENT_BINDING binding=$BINDING_CONTEXT_CURRENT_BINDING
  local fields=${SHELL_LIB_FIELDS:-} type event group from to
  if [[ ${SHELL_LIB_CONTEXT_INDEX:-} != "$BINDING_CONTEXT_CURRENT_INDEX" ]]; then
    fields=$(context::jq -r "$(hook::fields)")
    fields=${fields#*$'\x1f'}
  fi
  IFS=$'\x1f' read -r type event group from to <<< "$fields"
  [[ $binding != onStartup ]] || type=Startup
  case $type in
    Startup) echo __on_startup ;;
    Synchronization) printf '%s\n' "$on::synchronization" "$on" ;;
    Event)
      case $event in
        Added | Modified) printf '%s\n' "$on::${event,,}" "$on::added_or_modified" "$on" ;;
        Deleted) printf '%s\n' "$on::deleted" "$on" ;;
      esac
      ;;
    Group) echo "__on_group::$group" ;;
    Schedule) echo "__on_schedule::$binding" ;;
    Reconcile) echo "__on_reconcile::$binding" ;;
    Validating) echo "__on_validating::$binding" ;;
    Mutating) echo "__on_mutating::$binding" ;;
    Conversion) printf '%s\n' "__on_conversion::$binding::${from//\//.}::${to//\//.}" "__on_conversion::$binding" ;;
  esac
}

# Prints the jq program for what decides which function is called, in one text; the name of the binding comes first.
function hook::fields() {
  echo '([.binding // "unknown", .type, .watchEvent, .groupName, .fromVersion, .toVersion]
    | map(. // "") | join("\u001f"))'
}
