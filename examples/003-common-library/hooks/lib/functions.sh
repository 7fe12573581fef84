# For hooks: . "$(dirname "$0")/lib/functions.sh"
# In a folder called lib, so it is no hook itself.

# The image has jq. Where it is missing, hooklet's own stands in.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# Prints a line with the name of the hook before it.
say() {
  echo "$(basename "$0" .sh): $*"
}

# Calls a function once for every binding context, with the context as compact JSON.
for_each_context() {
  # First into a variable: the exit code of a command in a pipe would be lost.
  contexts=$(jq -c '.[]' "$BINDING_CONTEXT_PATH")
  # Not through standard input, of which the function may read.
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
