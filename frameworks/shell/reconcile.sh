#!/usr/bin/env bash

# Adds objects to those that should be there for the object of the current context: JSON as an argument or on standard
# input, one object after the other. A call without any object says that there should be none besides others added.
function hooklet::child() {
  local objects
  if (($# > 0)); then
    objects=$(printf '%s\n' "$@")
  else
    objects=$(cat)
  fi
  # Through a file: the objects may be larger than an argument can be.
  result::update --slurpfile children <(printf '%s' "$objects") \
    'part(.children = (.children // []) + $children)'
}

# Says that no object should be there for that of the current context.
function hooklet::no_child() {
  hooklet::child < /dev/null
}

# Adds an object that is written when those are ready whose names follow: hooklet::child_after '{…}' Deployment/db.
function hooklet::child_after() {
  local -r object=$1
  shift
  hooklet::child "$(jq -c '{object: ., after: $ARGS.positional}' --args "$@" <<< "$object")"
}

# Sets fields in the status of the object of the current context, given as a JSON object.
function hooklet::status() {
  result::status "$1"
}

# Says that all is cleaned up for the object of the current context, which is being deleted.
function hooklet::finalized() {
  result::update 'part(.finalized = true)'
}
