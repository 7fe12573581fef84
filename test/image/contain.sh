#!/bin/sh
# Becomes a container: contain.sh ROOT USER ro|rw [--mount HOST:PATH]… [KEY=VALUE]… PROGRAM [ARGUMENT]…
# Must be started in new mount and process namespaces, which end with it.
set -eu
root=$1 user=$2 mode=$3
shift 3

mount --make-rprivate /
mount --bind "$root" "$root"
# Symbolic links in the image are resolved inside of the image.
inside() { printf '%s%s' "$root" "$(chroot "$root" realpath -m "$1")"; }

while [ "$1" = --mount ]; do
  path=$(inside "${2#*:}")
  mkdir -p "$path"
  mount --rbind "${2%%:*}" "$path"
  shift 2
done
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
mount -o "remount,bind,$mode" "$root"

# That of busybox changes no user, so it is done on the way in, which leaves root its capabilities.
if [ -L "$root/usr/bin/setpriv" ]; then
  exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" env -i "$@"
fi

# Without capabilities or a way to get any, as with `drop: [ALL]` and `allowPrivilegeEscalation: false`.
exec chroot "$root" setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups --no-new-privs \
  --bounding-set=-all --inh-caps=-all -- env -i "$@"
