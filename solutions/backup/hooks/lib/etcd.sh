# shellcheck shell=bash
# The settings of etcd, how a member is queried, and the check that all members hold the same data.

database_settings() {
  expect_set ETCDCTL_ENDPOINTS 'the client URLs of the members, with "," between them'
  for program in etcdctl etcdutl; do expect_program "$program"; done
}

ask() { # URL COMMAND...
  local url=$1
  shift
  # jq would round the IDs of members, so they become strings.
  ETCDCTL_ENDPOINTS=$url telling_cause etcdctl --dial-timeout=5s --command-timeout=10s --write-out=json "$@" 2> "$work/stderr" |
    sed -E 's/"(ID|member_id)":([0-9]+)/"\1":"\2"/g'
}

# Runs etcdctl. If it fails, prints its last line to standard error, and the cause, which only the lines of its log
# have: a timeout alone does not say what is wrong.
telling_cause() { # COMMAND...
  local code=0 said last cause
  "$@" 2> "$work/log" || code=$?
  said=$(sed -E '/^\{"level":"info"/d; s/^\{.*"error":"(([^"\\]|\\.)*)".*/\1/; s/\\+"/"/g' "$work/log")
  last=$(tail -n 1 <<< "$said")
  cause=$(sed -nE 's/.*latest balancer error: (connection error: desc = )?"?(.*)/\2/p' <<< "$said" | tail -n 1)
  cause=${cause%\"}
  if [[ -z $cause || $last == *"$cause"* ]]; then echo "$last"; else echo "$last: $cause"; fi >&2
  return "$code"
}

# A snapshot comes from one member, and damage by a bad disk or a bug may be in that member only, so all voting
# members that answer must hold the same data at one revision. Sets revision, members_hash and members_alike.
compare_members() {
  local try
  for try in {1..20}; do
    find_members
    # Only now: finding the silent members takes so long that an earlier revision could be compacted away.
    revision=$(ask "$endpoint" get / --limit=1 | jq .header.revision)
    # Hashes of members that are compacted to different revisions cannot be compared; such a difference lasts only a
    # moment.
    ! hash_members || (($(cut -d ' ' -f 2 "$work/hashes" | sort -u | wc -l) != 1)) || break
    ((try < 20)) || fail MembersDiffer "the members cannot be compared at revision $revision: $(hashes_for_people) $(last_words "$work/stderr"): look at their logs; nothing is backed up until they can"
    sleep 0.5
  done
  members_hash=$(cut -d ' ' -f 1,2 "$work/hashes" | sort -u)
  [[ $members_hash != *$'\n'* ]] ||
    fail MembersDiffer "the members hold different data at revision $revision: $(hashes_for_people): which of them is right cannot be told from here: repair the cluster first; nothing is backed up until then, and older backups stay"
  members_alike=$(wc -l < "$work/hashes")
  [[ ! -s $work/silent ]] || echo "not compared with the others, as they do not answer: $(tr '\n' ' ' < "$work/silent")"
}

# Writes a line "ID|NAME|URL" for each voting member that is found, and the names of the others. The URLs of the
# settings go first, as those that a member advertises may not be reachable from here.
find_members() {
  local id name urls url found
  try DatabaseUnreachable "$endpoint does not list the members" ask "$endpoint" member list > "$work/list"
  jq -r '.members[] | select(.isLearner | not) | [.ID, .name // .ID, (.clientURLs // [] | join(" "))] | join("|")' "$work/list" > "$work/voters"
  for url in ${ETCDCTL_ENDPOINTS//,/ }; do
    echo "$(id_at "$url") $url"
  done > "$work/urls"
  : > "$work/found"
  : > "$work/silent"
  while IFS='|' read -r id name urls <&3; do
    found=$(grep -m 1 "^$id " "$work/urls" | cut -d ' ' -f 2) || for url in $urls; do
      [[ ",$ETCDCTL_ENDPOINTS," == *",$url,"* || $(id_at "$url") != "$id" ]] || found=$url
    done
    if [[ -n $found ]]; then echo "$id|$name|$found" >> "$work/found"; else echo "$name" >> "$work/silent"; fi
  done 3< "$work/voters"
}

# Prints the ID of the member at a URL, or nothing when there is no answer.
id_at() { # URL
  ask "$1" endpoint status | jq -r '.[0].Status.header.member_id // ""' || true
}

# Writes a line "HASH COMPACTED-TO NAME URL" for each member that was found. Fails when one has no hash of the
# revision: it is a moment behind, is compacted beyond it, or does not answer.
hash_members() {
  local id name url
  while IFS='|' read -r id name url <&3; do
    ask "$url" endpoint hashkv --rev="$revision" --command-timeout=120s > "$work/hash" || return 1
    jq -r --arg name "$name" --arg url "$url" '.[0].HashKV | "\(.hash) \(.compact_revision) \($name) \($url)"' "$work/hash"
  done 3< "$work/found" > "$work/hashes"
}

hashes_for_people() {
  awk '{printf "%s%s (%s) has hash %s, compacted to %s", separator, $3, $4, $1, $2; separator = ", "}' "$work/hashes"
}

# Checks that the restored data is what the members held. If they were compacted in the meantime, they are asked once
# more.
compare_restored() { # DATABASE-FILE
  local try said
  for try in 1 2; do
    # etcdutl writes to the file.
    if ! said=$(etcdutl hashkv "$1" --rev="$revision" --write-out=json 2> "$work/stderr" | jq -r '"\(.hash) \(.compactRevision)"'); then
      grep -q 'has been compacted' "$work/stderr" || fail VerifyFailed "what was restored has no hash of revision $revision: $(last_words "$work/stderr")"
      break
    fi
    [[ $said != "$members_hash" ]] || return 0
    [[ ${said#* } != "${members_hash#* }" ]] ||
      fail VerifyFailed "what was restored has the hash ${said% *} at revision $revision, and the members have ${members_hash% *}: look at the disk of $endpoint, and at that of the scratch volume"
    ! hash_members || members_hash=$(head -n 1 "$work/hashes" | cut -d ' ' -f 1,2)
  done
  echo "the snapshot was not compared with the members, as they were compacted while it was made"
}
