#!/usr/bin/env bash
# Makes the data folder of one etcd member from a backup, while etcd is stopped. All members need the same backup.
database=etcd
dump_name=dump.db
# shellcheck source=../hooks/lib/restore.sh
source "$(dirname "${BASH_SOURCE[0]}")/../hooks/lib/restore.sh"

usage() {
  cat <<'TEXT'
etcd.sh [--list] [--backup NAME] [--take-over IDENTITY] [--force] --data-dir FOLDER
        --name NAME --initial-cluster NAME=URL,... --initial-advertise-peer-urls URL [--initial-cluster-token TOKEN]
  --list       print the backups there are
  --backup     the one to restore; without it the newest. Name it, so that all members get the same
  --take-over  whose backup may be restored, when it is of another database than this one
  --force      restore although the folder has a member: it is kept as member.before-<time>
  --data-dir   the data folder of the member, as its own --data-dir is
The other flags say who the member is, as its own flags of the same names do. --skip-hash-check and --wal-dir go to
"etcdutl snapshot restore" as well.
TEXT
}

database_settings() {
  expect_program etcdutl
}

# Without the four options, etcdutl makes a cluster of one member with default names. Sets folder and flags.
restore_arguments() { # ARGUMENT...
  local option missing=()
  local -A given=()
  flags=()
  while (($# > 0)); do
    case $1 in
      --data-dir=* | --name=* | --initial-cluster=* | --initial-advertise-peer-urls=* | --initial-cluster-token=* | --wal-dir=*)
        given[${1%%=*}]=${1#*=}
        ;;
      --data-dir | --name | --initial-cluster | --initial-advertise-peer-urls | --initial-cluster-token | --wal-dir)
        expect_value "$@" 'a value'
        given[$1]=$2
        shift
        ;;
      --skip-hash-check) flags+=("$1") ;;
      *) fail BadSettings "unknown argument $1: see --help" ;;
    esac
    shift
  done
  [[ $list == no ]] || return 0
  for option in --data-dir --name --initial-cluster --initial-advertise-peer-urls; do
    [[ -n ${given[$option]:-} ]] || missing+=("$option")
  done
  ((${#missing[@]} == 0)) || fail BadSettings "${missing[*]} missing: they say who the member is, see --help"
  [[ ,${given[--initial-cluster]} == *",${given[--name]}="* ]] ||
    fail BadSettings "--initial-cluster is \"${given[--initial-cluster]}\", expected to have ${given[--name]}=URL, which --name says the member is"
  folder=${given[--data-dir]}
  unset 'given[--data-dir]'
  for option in "${!given[@]}"; do flags+=("$option=${given[$option]}"); done
}

main() {
  local folder='' flags=()
  restore_begin "$@"
  step look
  look "$folder"
  step restore
  restored=$folder/.restored-$stamp
  undo=remove_restored
  # Revisions continue far above those that clients have seen, so that no watch and no lock takes old data for new.
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
  # etcd holds a lock on its database as long as it runs.
  [[ ! -e $1/member/snap/db ]] || flock --nonblock "$1/member/snap/db" true ||
    refuse "an etcd is running on $1: stop it first"
}

main "$@"
