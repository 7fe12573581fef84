#!/usr/bin/env bash
# Makes the data folder of one etcd member from a backup, while etcd is stopped. All members are made from the same one.
database=etcd
dump_name=dump.db
# shellcheck source=../hooks/lib/restore.sh
source "$(dirname "${BASH_SOURCE[0]}")/../hooks/lib/restore.sh"

usage() {
  cat <<'TEXT'
etcd.sh [--list] [--backup NAME] [--take-over IDENTITY] [--force] --data-dir FOLDER [etcdutl snapshot restore's flags]
  --list       print the backups there are
  --backup     the one to restore; without it the newest. Name it, so that all members get the same
  --take-over  whose backup may be restored, when it is of another database than this one
  --force      restore although the folder has a member: it is kept as member.before-<time>
  --data-dir   the data folder of the member
The other flags say who the member is: --name, --initial-cluster, --initial-advertise-peer-urls, --initial-cluster-token.
TEXT
}

database_settings() {
  expect_program etcdutl
}

main() {
  local folder='' flags=()
  restore_begin "$@"
  set -- "${rest[@]}"
  while (($# > 0)); do
    case $1 in
      --data-dir) folder=${2:-} && shift ;;
      --data-dir=*) folder=${1#*=} ;;
      *) flags+=("$1") ;;
    esac
    shift
  done
  [[ -n $folder ]] || fail BadSettings "--data-dir is missing: see --help"
  step look
  look "$folder"
  step restore
  restored=$folder/.restored-$stamp
  undo=remove_restored
  # Revisions go on far above those that clients have seen, so that no watch and no lock takes the past for the future.
  try RestoreFailed "nothing was changed" etcdutl snapshot restore "$dump" --data-dir "$restored" \
    --bump-revision 1000000000 --mark-compacted "${flags[@]}"
  [[ ! -e $folder/member ]] || mv -T "$folder/member" "$folder/member.before-$stamp"
  mv -T "$restored/member" "$folder/member"
  echo "restored backup $backup to $folder"
}

remove_restored() {
  rm -rf "$restored"
}

look() { # FOLDER
  mkdir -p "$1"
  [[ -e $1/member ]] || return 0
  [[ $force == yes ]] || refuse "$1 holds a member already: with --force it is kept as member.before-$stamp"
  # etcd holds a lock on its database as long as it lives.
  [[ ! -e $1/member/snap/db ]] || flock --nonblock "$1/member/snap/db" true ||
    refuse "an etcd is running on $1: stop it first"
}

main "$@"
