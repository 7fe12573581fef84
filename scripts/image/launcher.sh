#!/bin/sh
# The program of an image: hooklet, or shell-operator where this file has that name. It needs the folder below alone,
# which has a node of its own, and runs in any image with the C library that the node was made for.
home=/usr/local/lib/hooklet

if [ ! -x "$home/bin/node" ]; then
  echo "$0: this image has no $home, copy that folder into it too: COPY --from=<image of hooklet> $home $home" >&2
  exit 127
fi
if [ "${0##*/}" = shell-operator ]; then
  export HOOKLET_COMPAT="${HOOKLET_COMPAT:-shell-operator}"
fi
set -- "$home/bin/node" "$home/dist/main.js" "$@"
# The first process of a container has to collect those that lose their parent.
if [ "$$" = 1 ] && [ -x "$home/bin/tini" ]; then
  set -- "$home/bin/tini" -- "$@"
fi
exec "$@"
