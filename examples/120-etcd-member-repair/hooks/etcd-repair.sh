#!/usr/bin/env bash
# Replaces one failed member of an etcd StatefulSet by a new one: snapshot, remove, wipe, add as learner, promote.
# Every run looks at the live cluster, does at most one step, and leaves; what it changed brings the next run.
set -euo pipefail
shopt -s inherit_errexit

lib=$(dirname "${BASH_SOURCE[0]}")/lib
for part in settings config etcd observe outcome guards steps; do
  # shellcheck source=/dev/null
  source "$lib/etcd-$part.sh"
done

main() {
  local program
  for program in etcdctl etcdutl; do
    command -v "$program" > /dev/null || { echo "$program is not on the PATH: see the Dockerfile" >&2 && return 1; }
  done
  observe
  if [[ -z $STS_UID ]]; then
    echo "there is no StatefulSet $NAMESPACE/$STATEFULSET: set ETCD_STATEFULSET and POD_NAMESPACE" >&2
    report_metrics
    return
  fi
  decide
  write_outcome
}

# The first thing to be done or to be said ends the run.
decide() {
  mark_bootstrapped
  guard_not_paused || return 0
  [[ -z $RECORD ]] || guard_target_wanted || return 0
  guard_enough_members || return 0
  if [[ -n $RECORD ]]; then
    continue_repair
  else
    look_for_failure
  fi
}

look_for_failure() {
  if [[ -n $FAILED ]]; then
    guard_certificates || return 0
    guard_quorum || return 0
  fi
  [[ $MEMBERS_KNOWN == yes ]] || return 0
  guard_alarms || return 0
  guard_membership || return 0
  [[ -n $FAILED ]] || return 0
  guard_one_unhealthy || return 0
  guard_target || return 0
  guard_settled || return 0
  take_snapshot || return 0
  write_record
}

# What is left to do is read off the cluster, never off the step in the record.
continue_repair() {
  guard_quorum || return 0
  guard_alarms || return 0
  guard_others || return 0
  if [[ $TARGET_ID == "$RECORD_ID" ]]; then
    replace_old_member
  elif [[ " $CORRUPT " == *" $RECORD_ID "* ]]; then
    disarm_corrupt
  elif old_storage_is_there; then
    wipe
  elif [[ -z $TARGET_ID ]]; then
    add_learner
  elif [[ $TARGET_LEARNER == yes || $TARGET_STARTED == no ]]; then
    join
  else
    verify
  fi
}

replace_old_member() {
  if [[ $TARGET_WELL == yes && $RECORD_AGAIN == yes ]]; then
    verify
    return
  fi
  if [[ $TARGET_WELL == yes ]]; then
    abandon Recovered "$TARGET is well again, so it stays a member."
    return
  fi
  if [[ $TARGET_LEARNER == yes && $TARGET_ANSWERS == yes ]]; then
    promote
    return
  fi
  [[ $TARGET_LEARNER == yes || " $FAILED " == *" $TARGET "* ]] || return 0
  guard_certificates || return 0
  guard_one_unhealthy || return 0
  guard_target || return 0
  if snapshot_is_old; then
    take_snapshot || return 0
    write_record
  elif [[ $LEADER == "$TARGET_ID" && -n $LEADER_ENDPOINT && $RECORD_STEP != leader-moved ]]; then
    move_leader
  else
    remove_member
  fi
}

case ${1:-} in
  --config)
    check_settings
    print_config
    ;;
  *)
    check_settings
    main
    ;;
esac
