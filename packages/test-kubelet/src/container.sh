#!/bin/sh
# Becomes a container: container.sh FOLDER ro|rw WORKING_DIR [--mount SOURCE TARGET ro|rw]… -- PROGRAM [ARGUMENT]… Must
# be started in mount and process namespaces of its own. FOLDER must have upper/, work/ and root/; the id of the first
# process, as this machine sees it, is written to FOLDER/pid.
set -eu
folder=$1 mode=$2 working_dir=$3
shift 3
root=$folder/root
read -r pid _ < /proc/self/stat

mount -t overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" overlay "$root"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
for device in null zero full random urandom tty; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
tmp=ours

while [ "$1" = --mount ]; do
  # Symbolic links must be resolved inside the container.
  target=$root$(chroot "$root" realpath -m "$3")
  [ "$target" != "$root/tmp" ] || tmp=theirs
  if [ -d "$2" ]; then
    mkdir -p "$target"
  else
    mkdir -p "${target%/*}"
    [ -e "$target" ] || : > "$target"
  fi
  mount --rbind "$2" "$target"
  [ "$4" = rw ] || mount -o remount,bind,ro "$target"
  shift 4
done
shift
chroot "$root" mkdir -p "$working_dir"
mount -t proc proc "$root/proc"
if [ "$mode" = ro ]; then
  mount -o remount,bind,ro "$root"
  [ "$tmp" = theirs ] || mount -o remount,bind,ro "$root/tmp"
fi
echo "$pid" > "$folder/pid.new"
mv "$folder/pid.new" "$folder/pid"
exec chroot "$root" "$@"
