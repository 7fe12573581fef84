# archive.sh URL SHA256 FOLDER: fetches FOLDER/archive unless it is there, and writes its index.html to FOLDER/page; prints
# what is wrong with it. It fetches for 25 s at most, and no more than a ConfigMap holds.
function refuse() { echo -n "$1" && exit; }
# Addresses of this Pod and its node, of the metadata of clouds, and what may stand for them.
LOCAL='^(0\.|127\.|169\.254\.|168\.63\.129\.16$|100\.100\.100\.200$|22[4-9]\.|2[345][0-9]\.|::|64:ff9b:|f[ef]|fd00:ec2:)'
# Fetches $1. Each host on the way is looked up once and judged before it is asked, so that no answer leads elsewhere.
function fetch() {
  local url=$1 left=4 host address
  while [[ -n $url ]]; do
    ((left-- > 0 && SECONDS < 20)) || refuse "$1 cannot be read: it is redirected more than 3 times, or not read within 20 s"
    [[ $url =~ ^https?://([A-Za-z0-9.-]+)(:[0-9]{1,5})?(/.*)?$ ]] || refuse "$1 leads to ${url:0:200}, expected http:// or https://"
    host=${BASH_REMATCH[1]} address=$(timeout 5 getent ahosts -- "${BASH_REMATCH[1]}" | head -n 1 | cut -d ' ' -f 1)
    [[ -n $address ]] || refuse "$1 cannot be read: there is no host $host"
    [[ $host =~ ^(${ARCHIVE_HOSTS:-})$ || ! $address =~ $LOCAL ]] \
      || refuse "$1 leads to $host at $address, which is not asked; ARCHIVE_HOSTS of the operator can allow that host"
    # The URL is taken as it is: with globs, curl would make many requests of one, each with its own --max-time.
    url=$(ulimit -f 1000 && curl -sSf --globoff --proto '=http,https' --max-time $((21 - SECONDS)) --connect-to "::${address/*:*/[&]}:" \
      -o archive -w '%{redirect_url}' "$url" 2> told)
  done
}
cd "$3" && : > told >> archive
[[ -s archive ]] || fetch "$1" 2> /dev/null
gzip -dc archive 2> /dev/null | head -c 64000001 > unpacked
unzipped=${PIPESTATUS[0]}
bytes=$(wc -c < archive) sum=$(sha256sum < archive | head -c 64)
((bytes <= 1000000)) || refuse "$1 has more than 1000000 bytes, and a ConfigMap does not hold that; make the site smaller"
[[ ! -s told ]] || refuse "$1 cannot be read: $(head -c 300 told)"
[[ $sum == "$2" ]] || refuse "$1 has $bytes bytes of the sha256 $sum, expected $2; correct spec.archive.sha256, or the archive"
large="$1 has more than 64000000 bytes when it is unpacked; make the site smaller"
(($(wc -c < unpacked) <= 64000000)) || refuse "$large"
# The Pods unpack it with tar -xzf, which fails where gzip has anything to say.
((unzipped == 0)) && tar --numeric-owner -tvf unpacked > list 2> told && tar -tPf unpacked > names && [[ -s names ]] \
  || refuse "$1 is no tar.gz; pack it with tar -czf"
# The sizes of the files may be more than what is packed: a sparse file has holes.
read -r files size < <(awk '{ size += $3 } END { printf "%d %.0f\n", NR, size }' list)
((size <= 64000000)) || refuse "$large" && ((files <= 5000)) || refuse "$1 has $files files and folders, expected at most 5000"
! grep -qv '^[-d]' list && ! grep -qE '^/|(^|/)\.\.(/|$)' names || refuse "$1 has links, devices, or paths that lead out of it"
index=$(grep -xEm 1 '(\./)?index\.html' names) && tar -xOf unpacked "$index" > page && [[ -s page ]] \
  || refuse "$1 has no index.html at its top, or an empty one; pack it with tar -czf site.tar.gz -C FOLDER ."
