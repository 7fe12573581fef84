#!/bin/sh
# The first process of a pod, which holds its namespaces: sandbox.sh HOSTNAME. Prints its id as this machine sees it.
set -eu
hostname "$1"
read -r pid _ < /proc/self/stat
echo "$pid"
exec sleep infinity > /dev/null
