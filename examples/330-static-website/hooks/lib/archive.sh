# archive.sh URL SHA256 FOLDER: fetches FOLDER/archive unless it is there, and writes its index.html to FOLDER/page; prints
# what is wrong with it. Never for longer than 20 s, and never more than a ConfigMap holds.
function refuse() { echo -n "$1" && exit; }
cd "$3" && : > told
[[ -s archive ]] || curl -sSfL --proto '=http,https' --max-redirs 3 --max-time 20 "$1" 2> told | head -c 1000001 > archive
gzip -dc archive 2> /dev/null | head -c 64000001 > unpacked
bytes=$(wc -c < archive) sum=$(sha256sum < archive | head -c 64)
((bytes <= 1000000)) || refuse "$1 has more than 1000000 bytes, and a ConfigMap does not hold that; make the site smaller"
[[ ! -s told ]] || refuse "$1 cannot be read: $(head -c 300 told)"
[[ $sum == "$2" ]] || refuse "$1 has $bytes bytes of the sha256 $sum, expected $2; correct spec.archive.sha256, or the archive"
(($(wc -c < unpacked) <= 64000000)) || refuse "$1 has more than 64000000 bytes when it is unpacked; make the site smaller"
tar -tvf unpacked > list 2> told && tar -tPf unpacked > names && [[ -s names ]] || refuse "$1 is no tar.gz; pack it with tar -czf"
! grep -qv '^[-d]' list && ! grep -qE '^/|(^|/)\.\.(/|$)' names || refuse "$1 has links, devices, or paths that lead out of it"
index=$(grep -xEm 1 '(\./)?index\.html' names) && tar -xOf unpacked "$index" > page && [[ -s page ]] \
  || refuse "$1 has no index.html at its top, or an empty one; pack it with tar -czf site.tar.gz -C FOLDER ."
