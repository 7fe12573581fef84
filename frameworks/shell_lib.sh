#!/usr/bin/env bash
# For hooks in bash:
#
#   source "${HOOKLET_SHELL_LIB:-/shell_lib.sh}"
#   function __config__() { … }
#   function __on_kubernetes::pods::added() { … }
#   hook::run "$@"

set -Eeuo pipefail
shopt -s inherit_errexit failglob

# Says which command failed, and where, innermost call first.
function backtrace() {
  local -r exit_code=$? command=$BASH_COMMAND
  local depth
  echo "exit code $exit_code: $command" >&2
  for ((depth = 1; depth < ${#FUNCNAME[@]}; depth++)); do
    echo "  in ${FUNCNAME[depth]}, ${BASH_SOURCE[depth]} line ${BASH_LINENO[depth - 1]}" >&2
  done
}
trap backtrace ERR

# Hooks call jq; where there is none, the operator has its own.
if [[ -z $(type -P jq) ]]; then
  function jq() {
    hooklet jq "$@"
  }
fi

# Beside this file, or in the image, where this file is at the root.
function shell_lib::folder() {
  local here
  here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
  if [[ -d $here/frameworks/shell ]]; then
    echo "$here/frameworks/shell"
  else
    echo "$here/shell"
  fi
}

while IFS= read -r shell_lib_file; do
  # shellcheck source=/dev/null
  source "$shell_lib_file"
done <<< "$(find "$(shell_lib::folder)" -name '*.sh' | sort)"
unset shell_lib_file
