#!/usr/bin/env bash

# Prints the config for --config; else calls, for one binding context after the other, the first function of the hook
# that fits it. Each call is in a subshell, so what it sets is gone at its end.
function hook::run() {
  if [[ ${1:-} == --config ]]; then
    __config__
    return
  fi
  local -r fields='[.binding, .type, .watchEvent, .groupName, .fromVersion, .toVersion]'
  local text lines line handler
  # For each context a line with what decides, and the context itself. The separator is no white space, so that empty
  # fields stay; all goes into a variable first, so that a failure counts.
  text=$(context::global::jq -r ".[] | ($fields | map(. // \"\") | join(\"\\u001f\")), tojson")
  mapfile -t lines <<< "$text"
  # The subshells report what fails: here it would be said twice.
  trap - ERR
  export BINDING_CONTEXT_CURRENT_INDEX BINDING_CONTEXT_CURRENT_BINDING
  for ((line = 0; line < ${#lines[@]}; line += 2)); do
    BINDING_CONTEXT_CURRENT_INDEX=$((line / 2))
    BINDING_CONTEXT_CURRENT_BINDING=${lines[line]%%$'\x1f'*}
    # Not exported: it may be larger than an environment can be.
    SHELL_LIB_CONTEXT=${lines[line + 1]}
    SHELL_LIB_CONTEXT_INDEX=$BINDING_CONTEXT_CURRENT_INDEX
    handler=$(hook::handler "${lines[line]}")
    (
      trap shell_lib::backtrace ERR
      "$handler"
    )
  done
}

# Prints the first function that exists for a context.
function hook::handler() {
  local candidates candidate
  candidates=$(hook::candidates "$1")
  while IFS= read -r candidate; do
    if declare -F "$candidate" > /dev/null; then
      echo "$candidate"
      return
    fi
  done <<< "$candidates"
  echo "no function for binding context $BINDING_CONTEXT_CURRENT_INDEX, define one of: ${candidates//$'\n'/, }" >&2
  return 1
}

# Prints the functions that fit a context, the most special first, a line each.
function hook::candidates() {
  local binding type event group from to
  IFS=$'\x1f' read -r binding type event group from to <<< "$1"
  case $type in
    Synchronization) printf '%s\n' "__on_kubernetes::$binding::synchronization" "__on_kubernetes::$binding" ;;
    Event)
      echo "__on_kubernetes::$binding::${event,,}"
      [[ $event == Deleted ]] || echo "__on_kubernetes::$binding::added_or_modified"
      echo "__on_kubernetes::$binding"
      ;;
    Group) echo "__on_group::$group" ;;
    Schedule) echo "__on_schedule::$binding" ;;
    Reconcile) echo "__on_reconcile::$binding" ;;
    Validating) echo "__on_validating::$binding" ;;
    Mutating) echo "__on_mutating::$binding" ;;
    Conversion) printf '%s\n' "__on_conversion::$binding::${from//\//.}::${to//\//.}" "__on_conversion::$binding" ;;
    *) [[ $binding != onStartup ]] || echo __on_startup ;;
  esac
  echo __main__
}
