# shellcheck shell=bash
# The steps of a repair. Each can be done twice without harm: it names what it means by an id that never comes back.

# A snapshot that is known to be good, before anything is taken away. One that was taken just now will do.
take_snapshot() {
  # Of this run alone: process ids are the same in the Pod of another runner.
  local -r part=$SNAPSHOT_DIR/$NAMESPACE-$STATEFULSET.part.$HOSTNAME.$$
  local said newest
  newest=$(snapshots | head -n 1)
  SNAPSHOT_AT=${newest//[^0-9]/}
  if [[ -n $newest ]] && ((NOW - SNAPSHOT_AT <= SNAPSHOT_MAX_AGE)); then
    SNAPSHOT=$SNAPSHOT_DIR/$NAMESPACE-$STATEFULSET-$newest
    return
  fi
  if ! said=$(save_snapshot "$part" 2>&1); then
    rm -f "$part"
    refuse SnapshotFailed "No snapshot, so $TARGET is not replaced: $(etcd_error "$said"). Look for space in $SNAPSHOT_DIR \
(REPAIR_SNAPSHOT_DIR)."
    return 1
  fi
  SNAPSHOT_AT=$(date +%s)
  SNAPSHOT=$SNAPSHOT_DIR/$NAMESPACE-$STATEFULSET-$SNAPSHOT_AT.db
  mv "$part" "$SNAPSHOT"
  remove_old_snapshots
}

# The ends of their names, such as 1795287979.db, the newest first.
snapshots() {
  find "$SNAPSHOT_DIR" -maxdepth 1 -name "$NAMESPACE-$STATEFULSET-[0-9]*.db" | sed "s|.*/$NAMESPACE-$STATEFULSET-||" \
    | grep -E '^[0-9]+\.db$' | sort -r || :
}

save_snapshot() {
  local -r endpoint=${ENDPOINTS%%,*}
  local revision compacted
  timeout --foreground "$SNAPSHOT_TIMEOUT" etcdctl --endpoints "$endpoint" snapshot save "$1" || return
  revision=$(etcdutl snapshot status "$1" -w json | jq .revision) || return
  # It must hold at least what was there when this run began: the newest key, unless that was deleted and compacted away.
  ((revision >= REVISION || REVISION <= 1)) && return
  compacted=$(etcd_ask_json "$endpoint" endpoint hashkv | jq '.[0].HashKV.compact_revision // 0') || return
  ((compacted >= REVISION)) && return
  echo "the snapshot ends at revision $revision, but the cluster was at $REVISION already"
  return 1
}

remove_old_snapshots() {
  local end
  for end in $(snapshots | tail -n +"$((SNAPSHOTS_KEPT + 1))"); do
    rm -f "$SNAPSHOT_DIR/$NAMESPACE-$STATEFULSET-$end"
  done
  # Of runs that were killed.
  find "$SNAPSHOT_DIR" -maxdepth 1 -name "$NAMESPACE-$STATEFULSET.part.*" \
    ! -newermt "@$((NOW - 2 * SNAPSHOT_TIMEOUT))" -delete
}

snapshot_is_old() {
  ((NOW - RECORD_SNAPSHOT_AT > SNAPSHOT_MAX_AGE))
}

# Written ahead of the first change: who is replaced, and what of it has to go.
write_record() {
  [[ -n $RECORD ]] || event Warning RepairStarted "$TARGET (member $TARGET_ID) is unhealthy since \
$(jq -r --arg pod "$TARGET" '.[$pod]' <<< "$UNHEALTHY_SINCE") and is replaced. The snapshot before is $SNAPSHOT. $ERRORS"
  RECORD=$(
    jq -n -c --argjson old "${RECORD:-"{}"}" --arg pod "$TARGET" --arg url "$TARGET_URL" --arg id "$TARGET_ID" \
      --arg podUID "$POD_UID" --arg claimUID "$CLAIM_UID" --arg snapshot "$SNAPSHOT" --arg at "$(iso "$NOW")" \
      --arg snapshotAt "$(iso "$SNAPSHOT_AT")" --argjson since "$UNHEALTHY_SINCE" '{
        pod: $pod, peerURL: $url, memberID: $id, podUID: $podUID, claimUID: $claimUID,
        since: ($old.since // $since[$pod]), startedAt: ($old.startedAt // $at), snapshot: $snapshot, snapshotAt: $snapshotAt
      } + ($old | {again} | with_entries(select(.value)))'
  )
  set_step recorded
}

# Best effort: whether it worked or not, the member is removed next.
move_leader() {
  local said
  said=$(etcd_ask "$LEADER_ENDPOINT" move-leader "$NEXT_LEADER" 2>&1) || echo "the leader stays: $(etcd_error "$said")"
  set_step leader-moved
}

remove_member() {
  local said
  if said=$(etcd_ask "$ENDPOINTS" member remove "$RECORD_ID" 2>&1) || [[ $said == *'member not found'* ]]; then
    echo "$TARGET is no longer a member"
    set_step removed
  else
    # Often "unhealthy cluster", shortly after an election. The next run looks again.
    echo "$TARGET is not removed yet: $(etcd_error "$said")"
  fi
}

# It stops all writes as long as it stands; the member it was about is gone.
disarm_corrupt() {
  local said
  hashes_agree || return 0
  if said=$(etcd_ask "$ENDPOINTS" alarm disarm 2>&1); then
    set_step disarmed
  else
    echo "the alarm CORRUPT stays: $(etcd_error "$said")"
  fi
}

old_storage_is_there() {
  [[ -n $RECORD_CLAIM_UID && $CLAIM_UID == "$RECORD_CLAIM_UID" ]] || [[ -n $RECORD_POD_UID && $POD_UID == "$RECORD_POD_UID" ]]
}

# The claim first: it stays until the Pod is gone, and the new Pod gets a new one. Whichever Pod is there then holds it, also
# one that was made meanwhile.
wipe() {
  local wiped=no
  if [[ -n $CLAIM_UID && $CLAIM_UID == "$RECORD_CLAIM_UID" && $CLAIM_DELETING == no ]]; then
    delete PersistentVolumeClaim "$CLAIM" "$CLAIM_UID"
    wiped=yes
  fi
  if [[ -n $POD_UID && $POD_DELETING == no ]]; then
    delete Pod "$TARGET" "$POD_UID"
    wiped=yes
  fi
  [[ $wiped == no ]] || set_step wiped
}

delete() {
  jq -n -c --arg kind "$1" --arg namespace "$NAMESPACE" --arg name "$2" --arg uid "$3" '{
    operation: "DeleteInBackground", apiVersion: "v1", kind: $kind, namespace: $namespace, name: $name,
    preconditions: {uid: $uid}
  }' >> "$KUBERNETES_PATCH_PATH"
}

add_learner() {
  local said
  if said=$(etcd_ask "$ENDPOINTS" member add "$TARGET" --learner --peer-urls "$TARGET_URL" 2>&1) \
    || [[ $said == *'Peer URLs already exists'* ]]; then
    echo "$TARGET is a learner now"
    set_step added
  else
    echo "$TARGET is not added yet: $(etcd_error "$said")"
  fi
}

join() {
  if [[ $TARGET_LEARNER == yes && $TARGET_ANSWERS == yes ]]; then
    promote
  elif ! joins_too_long; then
    echo "waiting for $TARGET to start"
  elif [[ $TARGET_LEARNER == yes ]]; then
    start_over
  else
    refuse JoinFailed "$TARGET was added, but does not start. See kubectl logs $TARGET." || :
  fi
}

promote() {
  local said
  if said=$(etcd_ask "$ENDPOINTS" member promote "$TARGET_ID" 2>&1); then
    set_step promoted
  elif joins_too_long; then
    refuse JoinIsSlow "$TARGET is a learner since $(iso "$RECORD_STEP_AT") and cannot be promoted: $(etcd_error "$said"). It is \
tried again; look at its disk and network." || :
  else
    echo "$TARGET is not promoted yet: $(etcd_error "$said")"
  fi
}

joins_too_long() {
  ((NOW - RECORD_STEP_AT > JOIN_WITHIN))
}

# A learner that does not come up keeps all others from being replaced, and its storage is of no use to anyone. Should it come
# up all the same before it is removed, it is the new member.
start_over() {
  event Warning JoinFailed "$TARGET did not start as a learner within ${JOIN_WITHIN}s and is replaced once more. $ERRORS"
  RECORD=$(
    jq -c --arg memberID "$TARGET_ID" --arg podUID "$POD_UID" --arg claimUID "$CLAIM_UID" \
      '. + $ARGS.named + {again: true}' <<< "$RECORD"
  )
  set_step recorded
}

verify() {
  if [[ $TARGET_WELL == no ]]; then
    # From here on it is a member that fails like any other.
    ! joins_too_long || abandon NotVerified "$TARGET became a member, but is not well. $ERRORS"
  elif hashes_agree; then
    event Normal Repaired "$TARGET is a member again after $((NOW - RECORD_STARTED))s, and all members have the same data."
    jq -n -c --argjson seconds "$((NOW - RECORD_STARTED))" --arg statefulset "$STATEFULSET" '
      {name: "etcd_repair_repairs_total", action: "add", value: 1, labels: {statefulset: $statefulset}},
      {name: "etcd_repair_seconds", action: "observe", value: $seconds, buckets: [15, 30, 60, 120, 300, 600, 1800],
        labels: {statefulset: $statefulset}}
    ' >> "$METRICS_PATH"
    RECORD=''
  fi
}

# At one revision that all have. They can be compared only where all were compacted alike.
hashes_agree() {
  local answer verdict
  if ! answer=$(etcd_ask_json "$ENDPOINTS" endpoint hashkv --rev "$REVISION" 2> /dev/null); then
    echo "not every member tells its hash at revision $REVISION yet"
    return 1
  fi
  verdict=$(jq -r 'map(.HashKV) | if (map(.compact_revision) | unique | length) > 1 then "wait"
    elif (map(.hash) | unique | length) > 1 then "differ" else "agree" end' <<< "$answer")
  case $verdict in
    agree) ;;
    wait) echo "the members are not compacted alike yet" && return 1 ;;
    *) refuse HashesDiffer "The members do not hold the same data at revision $REVISION: $(jq -r \
      'map("\(.Endpoint) \(.HashKV.hash)") | join(", ")' <<< "$answer"). Nothing more is replaced. Take a snapshot of each \
member, find the one that differs from the majority, and remove it by hand." ;;
  esac
}

# A cluster that was whole once is never started anew.
mark_bootstrapped() {
  [[ $MARKER_STATE == new ]] && ((WELL_COUNT == REPLICAS && MEMBERS == REPLICAS)) || return 0
  # At once and first: when the marker is set there is no run that would tell it.
  tell "[$(news Normal Bootstrapped "All $REPLICAS members are well. From now on an empty disk never starts a new cluster." '')]"
  jq -n -c --arg namespace "$NAMESPACE" --arg name "$MARKER" '{
    operation: "MergePatch", apiVersion: "v1", kind: "ConfigMap", namespace: $namespace, name: $name,
    mergePatch: {data: {state: "existing"}}
  }' >> "$KUBERNETES_PATCH_PATH"
}

abandon() {
  event Normal "$1" "$2"
  RECORD=''
}
