#!/bin/sh
# Makes a Debian or an Alpine ready for hooklet: the programs that hooks use, a user, a folder for temporary files.
set -e

if command -v apk > /dev/null; then
  # libstdc++ is what node needs.
  apk add --no-cache bash ca-certificates curl jq libstdc++ sed tini
else
  # Read by dpkg from here on; what the base has unpacked before goes below.
  cp "$(dirname "$0")/unneeded.cfg" /etc/dpkg/dpkg.cfg.d/hooklet
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y --no-install-recommends bash ca-certificates curl jq sed tini
  # No account of this image has a password, and what needs these names them as a dependency.
  apt-get purge -y --autoremove passwd mount
  cat /var/lib/dpkg/info/*.list | while read -r path; do
    if [ -d "$path" ]; then continue; fi
    needed=yes
    while IFS='=' read -r option pattern; do
      # shellcheck disable=SC2254 # it is a pattern
      case "$path" in $pattern) [ "$option" = path-exclude ] && needed=no || needed=yes ;; esac
    done < /etc/dpkg/dpkg.cfg.d/hooklet
    if [ "$needed" = no ]; then rm -f "$path"; fi
  done
  # The index of the character sets that are left.
  iconvconfig
  rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*.log /var/log/apt
  # Copies of what is elsewhere, and what only builds of packages read.
  rm -f /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/lib/dpkg/info/*.templates /var/lib/dpkg/info/*.symbols
fi

# The place of Alpine's, which manifests for shell-operator name; and one in the folder that has all of hooklet.
tini=$(command -v tini)
[ -e /sbin/tini ] || ln -s "$tini" /sbin/tini
mkdir -p /usr/local/lib/hooklet/bin
cp "$tini" /usr/local/lib/hooklet/bin/tini

# Where the image of shell-operator has it.
[ -e /bin/kubectl ] || ln -s /usr/local/bin/kubectl /bin/kubectl

echo 'hooklet:x:65532:' >> /etc/group
echo 'hooklet:x:65532:65532::/:/sbin/nologin' >> /etc/passwd
# For whichever user: a build may run `hooklet check` as root, and the Pod as another.
mkdir -p /tmp/hooklet
chmod 1777 /tmp/hooklet
