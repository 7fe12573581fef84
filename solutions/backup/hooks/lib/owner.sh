# shellcheck shell=bash
# To which database the backups in a folder of the target belong. owner.json and each manifest record it, and backups
# of another database are not overwritten, removed or restored unless a person allows it.
OWNER_FORMAT=hooklet.dev/backup-folder/v1
# Stands for the identity of backups whose manifest has none.
UNMARKED=unmarked

# Prints an identity that stays the same as long as the data is the same. Hooks of databases with an identity of their
# own redefine this function; the others are identified by the object that runs them.
database_identity() {
  echo "$database/${object_uid:-$installation}"
}

# Sets identity to the one found at the start of this Pod or in its last run, as the database may be away.
recall_identity() {
  local noted=$BACKUP_SCRATCH/$BACKUP_NAME.identity
  identity=$BACKUP_IDENTITY
  [[ -n $identity || ! -O $noted ]] || identity=$(< "$noted")
}

# Finds the identity of the database, and sets identity.
find_identity() {
  identity=${BACKUP_IDENTITY:-$(database_identity)}
  # A restore reads this file: it has no context with the UID of the object.
  remember "$BACKUP_SCRATCH/$BACKUP_NAME.identity" "$identity"
}

# Sets owner, the identity in owner.json or nothing, and ours, all identities whose backups count as its own.
read_owner() {
  local found
  owner='' owner_installation='' ours=("$UNMARKED")
  if target_read owner.json "$work/owner.json"; then
    mapfile -t found < <(jq -r --arg format "$OWNER_FORMAT" '
      select(.format == $format) | .identity, .installation, .takenOver[]' "$work/owner.json" 2> "$work/stderr")
    ((${#found[@]} >= 2)) || fail FolderTaken "owner.json in $(target_describe) cannot be read: bring it back, or remove it and set BACKUP_TAKE_OVER=$UNMARKED: $(last_words "$work/stderr")"
    owner=${found[0]} owner_installation=${found[1]} ours=("${found[0]}" "${found[@]:2}")
  fi
}

# Prints the names of our backups in a folder by name, or only BACKUP if it is one of them. One process reads all
# manifests.
# An invalid manifest, which anybody with access may have written, is reported once and is not a backup, but does not
# fail the run.
backups_in() { # FOLDER [BACKUP]
  local manifest name text lines='' verdict judged=$work/judged.$BASHPID
  for manifest in "$1"/${2:-*}/manifest.json; do
    name=${manifest%/manifest.json} name=${name##*/}
    [[ $name =~ $BACKUP_PATTERN && (-e $manifest || -L $manifest) ]] || continue
    if ! read_small "$manifest"; then
      tell_unreadable "$manifest"
    elif [[ $text == "{\"format\":\"$BACKUP_FORMAT\",\"database\":\"$database\",\"backup\":\"$name\","* ]]; then
      lines+="$name ${text//$'\n'/ }"$'\n'
    fi
  done
  [[ -n $lines ]] || return 0
  jq -R -r --arg unmarked "$UNMARKED" "$judge" --args "${ours[@]}" <<< "${lines%$'\n'}" > "$judged"
  while read -r verdict name; do
    case $verdict in
      ours) echo "$name" ;;
      unreadable) tell_unreadable "$1/$name/manifest.json" ;;
    esac
  done < "$judged"
}

# For each line, the name of a backup and its manifest: prints "ours NAME", "unreadable NAME", or nothing if it is not
# ours.
judge='
  def is_count: . >= 0 and . < 1e15 and floor == .;
  def is_text: type == "string";
  def is_optional(what): . == null or what;
  split(" ")[0] as $name
  | (.[($name | length) + 1:] | fromjson? // null)
  | (try (
      .backup == $name
      and (.takenAt | fromdateiso8601 > 0)
      and (.bytes | is_count)
      and ([.file, .sha256, .verified] | all(is_text))
      and (.counts | type == "object")
      and ([.version, .server, .identity, .installation, .failure, .runId] | all(is_optional(is_text)))
      and (.restoredBytes | is_optional(is_count))
      and (.leftOut | is_optional(type == "object"))
      and (.encryption | is_optional(.recipients | type == "array" and all(is_text)))
    ) catch false) as $readable
  | if $readable | not then "unreadable \($name)"
    elif .identity // $unmarked | IN($ARGS.positional[]) then "ours \($name)"
    else empty end'

# Sets text to the content of a file. Fails if it is not a plain file, has more than 64 KiB, or contains a NUL byte.
read_small() { # FILE
  text=
  is_plain "$1" && ! IFS= read -r -d '' -n 65537 text < "$1"
}

# Reading a pipe would never end, and a symbolic link may lead anywhere.
is_plain() { # FILE
  [[ -f $1 && ! -L $1 ]]
}

tell_unreadable() { # MANIFEST
  local name=${1%/manifest.json}
  name=${name#"$manifests"/}
  [[ ! -e $work/unreadable.${name//\//.} ]] || return 0
  : > "$work/unreadable.${name//\//.}"
  echo "unreadable manifest $name: it is not taken for a backup" >&2
}

# Fails when the folder belongs to another identity; sets is_marked.
check_owner() {
  read_owner
  is_marked=yes
  [[ $owner != "$identity" ]] || return 0
  is_marked=no
  if [[ -z $owner ]]; then
    [[ -n $(list_backups) && ${BACKUP_TAKE_OVER:-} != "$UNMARKED" ]] || return 0
    fail FolderTaken "$BACKUP_FOLDER in $(target_describe) has backups of an earlier version, which do not say whose they are, and this is $identity: if they are of this one and nobody else writes there, set BACKUP_TAKE_OVER=$UNMARKED, else another BACKUP_FOLDER"
  fi
  [[ ${BACKUP_TAKE_OVER:-} == "$owner" ]] ||
    fail FolderTaken "$BACKUP_FOLDER in $(target_describe) holds the backups of $owner (installed as $owner_installation), and this is $identity (installed as $installation): set another BACKUP_FOLDER; if this one follows that one, as after a restore to a new server, set BACKUP_TAKE_OVER=$owner"
}

# Writes owner.json to a folder that is new or was taken over.
mark_owner() {
  local before=()
  [[ $is_marked == no ]] || return 0
  if [[ -n $owner ]]; then
    before=("${ours[@]}")
  elif [[ -n $(list_backups) ]]; then
    before=("$UNMARKED")
  fi
  jq -n -c --arg format "$OWNER_FORMAT" --arg identity "$identity" --arg installation "$installation" \
    --arg since "$(now_as %FT%TZ)" '{
      format: $format, identity: $identity, installation: $installation, since: $since,
      takenOver: ($ARGS.positional | map(select(. != $identity)))
    }' --args ${before[@]+"${before[@]}"} > "$work/owner.new"
  if [[ -z $owner ]]; then
    target_create "$work/owner.new" owner.json || true
  else
    target_write "$work/owner.new" owner.json
    echo "took over the backups of $owner"
  fi
  read_owner
  [[ $owner == "$identity" ]] ||
    fail FolderTaken "$owner has marked $BACKUP_FOLDER in $(target_describe) at the same time, and this is $identity: set another BACKUP_FOLDER"
}
