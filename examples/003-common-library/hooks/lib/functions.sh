# For hooks: . "$(dirname "$0")/lib/functions.sh"
# It is in a folder called lib, so it is not a hook itself.

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# Prints a line with the name of the hook before it.
say() {
  echo "$(basename "$0" .sh): $*"
}

# Calls a function once for every binding context, with the context as compact JSON.
for_each_context() {
  # Into a variable first: in a pipe the exit code of the command would be lost.
  contexts=$(jq -c '.[]' "$BINDING_CONTEXT_PATH")
  # Not through standard input, because the function may read from it.
  while IFS= read -r context <&3; do
    "$1" "$context"
  done 3<<CONTEXTS
$contexts
CONTEXTS
}

# Prints a field of a context: field "$context" .binding
field() {
  printf '%s\n' "$1" | jq -r "$2"
}
