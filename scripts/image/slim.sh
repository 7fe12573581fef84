#!/bin/sh
# Makes the root of a small image: what node needs, a shell with the programs of busybox, the certificates of
# authorities, time zones, tini, and no package manager. Argument: the folder.
set -e

root=$1
mkdir -p "$root"
if command -v apk > /dev/null; then
  apk add --no-cache --root "$root" --initdb --keys-dir /etc/apk/keys --repositories-file /etc/apk/repositories \
    alpine-baselayout busybox ca-certificates-bundle libstdc++ tini tzdata
else
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y --no-install-recommends busybox ca-certificates
  # With all that they depend on.
  packages='base-files busybox gcc-14-base libc6 libgcc-s1 libstdc++6 netbase tini tzdata'
  mkdir -p /tmp/packages "$root/var/lib/dpkg/status.d"
  # shellcheck disable=SC2086 # several words
  (cd /tmp/packages && chmod 777 . && apt-get download $packages)
  for package in /tmp/packages/*.deb; do
    dpkg-deb --extract "$package" "$root"
    name=$(dpkg-deb --field "$package" Package)
    # Where scanners look for the packages of an image without dpkg.
    dpkg-deb --field "$package" > "$root/var/lib/dpkg/status.d/$name"
  done
  find "$root/usr/share/doc" -type f ! -name copyright -delete
  rm -rf "$root"/usr/lib/*/gconv "$root"/usr/share/locale "$root"/usr/share/man "$root"/usr/share/lintian \
    "$root"/usr/share/bug "$root"/usr/share/gcc "$root"/usr/share/gdb "$root"/usr/bin/tini-static
  # Without those of dpkg, which have no packages to look after.
  for applet in $(busybox --list | grep -v '^dpkg'); do
    [ -e "$root/usr/bin/$applet" ] || ln -s busybox "$root/usr/bin/$applet"
  done
  mkdir -p "$root/etc/ssl/certs" "$root/run" "$root/dev" "$root/proc" "$root/sys" "$root/root" "$root/var/tmp"
  chmod 1777 "$root/var/tmp"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  # hooklet's own programs need no cache of libraries, but those of images on top may.
  ldconfig -r "$root"
fi

# The places that base.sh gives these.
mkdir -p "$root/usr/local/lib/hooklet/bin" "$root/tmp/hooklet"
if [ -e "$root/usr/bin/tini" ]; then ln -s ../bin/tini "$root/usr/sbin/tini"; fi
cp -L "$root/sbin/tini" "$root/usr/local/lib/hooklet/bin/tini"
[ -e "$root/etc/group" ] || echo 'root:x:0:' > "$root/etc/group"
[ -e "$root/etc/passwd" ] || echo 'root:x:0:0:root:/root:/bin/sh' > "$root/etc/passwd"
echo 'hooklet:x:65532:' >> "$root/etc/group"
echo 'hooklet:x:65532:65532::/:/sbin/nologin' >> "$root/etc/passwd"
chmod 1777 "$root/tmp" "$root/tmp/hooklet"
