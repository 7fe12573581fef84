#!/bin/sh
# Makes a Debian or an Alpine ready for hooklet: the programs that hooks use, a user, a folder for temporary files.
set -e

if command -v apk > /dev/null; then
  # libstdc++ is what node needs.
  apk add --no-cache bash ca-certificates curl jq libstdc++ sed tini
else
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends bash ca-certificates curl jq sed tini
  rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*.log /var/log/apt
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
