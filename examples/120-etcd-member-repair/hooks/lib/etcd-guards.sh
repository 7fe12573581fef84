# shellcheck shell=bash
# What must be so before anything is done. A guard that fails has said why, or it is too early to tell.

guard_not_paused() {
  [[ $PAUSED == no ]] || refuse Paused "The annotation $PAUSE_ANNOTATION is set. Remove it to have members repaired again."
}

guard_enough_members() {
  ((REPLICAS >= MIN_MEMBERS)) || refuse TooFewMembers \
    "The StatefulSet has $REPLICAS replica(s), and members are replaced only where there are at least $MIN_MEMBERS: without \
the failed one there would be no quorum. Grow the cluster to three, or restore a failed member from a snapshot."
}

# Also where nobody is left who could list the members.
guard_quorum() {
  if [[ $MEMBERS_KNOWN == yes ]] && ((WELL_COUNT >= VOTERS / 2 + 1)); then return; fi
  local -r failed=$(wc -w <<< "$FAILED") spare=$((REPLICAS - REPLICAS / 2 - 1))
  if ((failed <= spare)); then
    wait_for_news "no quorum at the moment: $WELL_COUNT of $REPLICAS members are well"
    return
  fi
  refuse QuorumLost \
    "$WELL_COUNT of $REPLICAS members are well, which is no quorum. Nothing is removed or wiped. Bring members back, else \
restore all from a snapshot with --bump-revision 1000000000 --mark-compacted, as the README says. $ERRORS"
}

guard_one_unhealthy() {
  ((UNHEALTHY_COUNT == 1)) && return
  if (($(wc -w <<< "$FAILED") <= 1)); then
    wait_for_news "waiting, $UNHEALTHY are unhealthy at the same time"
    return
  fi
  refuse SeveralMembersDown \
    "$UNHEALTHY are down at once; one at a time is replaced. Find out what they have in common, and bring one back. $ERRORS"
}

# What forbade it is over: whoever ended that has the member come back now, and it may be on its way. Its time counts anew.
guard_settled() {
  [[ -n $OLD_TOLD && $OLD_TOLD != SnapshotFailed ]] || return 0
  UNHEALTHY_SINCE=$(jq -c --arg now "$(iso "$NOW")" 'map_values($now)' <<< "$UNHEALTHY_SINCE")
  return 1
}

guard_alarms() {
  if [[ -n $NO_SPACE ]]; then
    refuse NoSpace "The members $NO_SPACE have no space left, which a new member would not change. Compact, defragment every \
member (the leader last), then etcdctl alarm disarm; raise --quota-backend-bytes if it comes back."
  elif [[ -n $CORRUPT_UNKNOWN ]]; then
    refuse CorruptUnknown "There is an alarm CORRUPT that is about no member or about several: $CORRUPT. Compare etcdctl \
endpoint hashkv of all members, remove the one that differs, then etcdctl alarm disarm."
  fi
}

guard_membership() {
  local said=''
  [[ -z $FOREIGN ]] || said+=" Not of the StatefulSet: $FOREIGN."
  [[ -z $MISSING ]] || said+=" Not a member: $MISSING."
  [[ -z $LEARNERS ]] || said+=" Learners: $LEARNERS."
  [[ -z $UNSTARTED ]] || said+=" Added, but not started: $UNSTARTED."
  [[ -z $said ]] || refuse MembershipMismatch "etcd has $MEMBERS member(s), the StatefulSet $REPLICAS replica(s).$said Somebody \
is changing the membership, or has not finished: nothing is replaced before both agree."
}

# The same while a repair goes on: about all but the member that is being replaced.
guard_others() {
  local said='' pod url
  [[ -z $FOREIGN ]] || said+=" Not of the StatefulSet: $FOREIGN."
  for pod in $MISSING; do
    [[ $pod == "$TARGET" ]] || said+=" Not a member: $pod."
  done
  for url in $LEARNERS $UNSTARTED; do
    [[ $url == "$TARGET_URL" ]] || said+=" Learner or not started: $url."
  done
  [[ -z $said ]] || refuse MembershipMismatch "While $TARGET was being replaced somebody changed other members.$said The repair \
goes on when all but $TARGET are members again."
}

guard_target_wanted() {
  [[ $TARGET_WANTED == yes ]] && return
  abandon Abandoned "The StatefulSet was scaled down to $REPLICAS while $TARGET was being replaced. If it is still a member, \
remove it: etcdctl member remove $RECORD_ID"
  return 1
}

# What a new member would not cure.
guard_target() {
  local -r mends='Nothing is replaced: a new member would fare no better.'
  if [[ $ROLLING == yes ]]; then
    refuse StatefulSetUpdating "The StatefulSet is being rolled, and $TARGET is down. Finish or undo the update first: kubectl \
rollout status, kubectl rollout undo."
  elif [[ $OUT_OF_MEMORY == yes ]]; then
    refuse OutOfMemory "$TARGET was killed because it was out of memory. $mends Raise its memory limit."
  elif [[ $POD_WAITS_FOR =~ ^(ErrImagePull|ImagePullBackOff|InvalidImageName|CreateContainer.*Error)$ ]]; then
    refuse PodCannotStart "$TARGET waits with $POD_WAITS_FOR. $mends See kubectl describe pod $TARGET."
  elif certificate_expired; then
    refuse CertificateExpired "The certificate of $TARGET has expired. $mends Renew it, and restart the Pod if it is not read again."
  elif ((WELL_COUNT < (VOTERS - 1) / 2 + 1)); then
    refuse QuorumLost "Without $TARGET only $WELL_COUNT of $((VOTERS - 1)) members would be well, which is no quorum."
  fi
}

guard_certificates() {
  [[ ! $ERRORS =~ certificate\ has\ expired|expired\ certificate ]] || refuse CertificateExpired \
    "A certificate has expired: $ERRORS. Renew it; new members would not be reached either."
}

# As the member itself shows them, to clients and to other members.
certificate_expired() {
  local url until_date
  [[ $POD_UID != '' ]] || return 1
  for url in "$TARGET_ENDPOINT" "$TARGET_URL"; do
    [[ $url == https:* ]] || continue
    until_date=$(curl -kvs --max-time "$COMMAND_TIMEOUT" "$url" 2>&1 | sed -n 's/^\* *expire date: //p' || :)
    if [[ -n $until_date ]] && (($(date -d "$until_date" +%s) <= NOW)); then return 0; fi
  done
  return 1
}
