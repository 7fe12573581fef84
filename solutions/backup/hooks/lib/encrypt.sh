# shellcheck shell=bash
# Encryption with age: a dump is encrypted with the public keys of BACKUP_AGE_RECIPIENTS before it leaves the Pod, and
# decrypted with the private key of BACKUP_AGE_IDENTITY or BACKUP_AGE_IDENTITY_FILE when it is restored. No manifest
# and no message contains a private key.

# Unset, so that no program that is started here inherits the private key. A drill comes by here twice, as a backup and
# as a restore.
age_identity=${BACKUP_AGE_IDENTITY:-${age_identity:-}}
unset BACKUP_AGE_IDENTITY

encryption_settings() {
  local recipient
  : "${BACKUP_AGE_RECIPIENTS:=}" "${BACKUP_AGE_IDENTITY_FILE:=}"
  recipients=()
  [[ -n $BACKUP_AGE_RECIPIENTS$BACKUP_AGE_IDENTITY_FILE$age_identity ]] || return 0
  for program in age age-keygen; do expect_program "$program"; done
  if [[ $BACKUP_AGE_RECIPIENTS == *AGE-SECRET-KEY* ]]; then
    problems+=("BACKUP_AGE_RECIPIENTS has a private key, expected public ones, age1...: make another pair with age-keygen, as this one has been where many can read it")
    return
  fi
  read -ra recipients <<< "${BACKUP_AGE_RECIPIENTS//[,$'\n']/ }"
  for recipient in ${recipients[@]+"${recipients[@]}"}; do
    [[ $recipient =~ ^age1[a-z0-9]{58}$ ]] && age --recipient "$recipient" < /dev/null > /dev/null 2>&1 ||
      problems+=("BACKUP_AGE_RECIPIENTS has \"$recipient\", expected public keys of age, age1..., with \",\" between them")
  done
}

seal_dump() {
  ((${#recipients[@]} > 0)) || return 0
  step encrypt
  seal "$dump"
  dump+=.age dump_name+=.age
}

# Replaces FILE by FILE.age; for a moment both exist.
seal() { # FILE
  try EncryptFailed "age cannot encrypt ${1##*/}" age "${recipients[@]/#/--recipient=}" --output="$1.age" "$1"
  rm "$1"
}

# Adds to a manifest what a restore must know: how much room it needs, and which keys can decrypt the dump.
name_needs() {
  jq -c --argjson restored "${restored_bytes:-${size_bytes:-0}}" '. + {restoredBytes: $restored}
    + if $ARGS.positional == [] then {} else {encryption: {tool: "age", recipients: $ARGS.positional}} end
  ' --args ${recipients[@]+"${recipients[@]}"}
}

# Fetches the dump of the chosen backup to $dump, decrypts it and checks it.
fetch_dump() { # PATH
  local sum bytes failed=no
  bytes=$(number_in_manifest .bytes)
  measure_disk
  ((disk_left >= bytes)) ||
    fail ScratchFull "backup $backup has $bytes bytes, and there is room for $disk_left in $BACKUP_SCRATCH: $disk_words"
  if [[ $dump_name != *.age ]]; then
    target_get "${1%/*}" "${1##*/}" "$dump"
    sum=$(checksum_of "$dump")
    ((${#recipients[@]} == 0)) || echo "warning: backup $backup is not encrypted, although BACKUP_AGE_RECIPIENTS is set: anybody may have written it who can write there" >&2
  else
    dump_name=${dump_name%.age} dump=${dump%.age}
    expect_key
    # Decrypted while it is fetched. The checksum covers everything that was fetched, also when age fails.
    sum=$({ target_cat "$1" | tee -p /dev/fd/3 | age --decrypt --identity=<(print_identity) --output="$dump" 2> "$work/age"; } 3>&1 |
      sha256sum | cut -d ' ' -f 1) || failed=yes
  fi
  [[ $sum == "$(jq -r .sha256 "$manifest")" ]] ||
    fail BackupDamaged "backup $backup is damaged in $(target_describe): take another one, see --list"
  [[ $failed == no ]] || fail WrongKey "backup $backup is whole, but cannot be decrypted with this key: $(last_words "$work/age")"
}

# Anybody who can write to the target can write a manifest: what is not a number counts as 0, and is not calculated
# with.
number_in_manifest() { # PATH
  local number
  number=$(jq -r "$1 // 0" "$manifest")
  if [[ $number =~ ^[0-9]{1,15}$ ]]; then echo "$number"; else echo 0; fi
}

# Fails when the private key is missing or does not fit.
expect_key() {
  local wanted have key
  wanted=$(jq -r '.encryption.recipients // [] | join(" ")' "$manifest")
  [[ -n $age_identity || -n $BACKUP_AGE_IDENTITY_FILE ]] ||
    fail KeyMissing "backup $backup is encrypted for ${wanted:-somebody}: set BACKUP_AGE_IDENTITY, or BACKUP_AGE_IDENTITY_FILE, to the private key of one of them"
  # What age prints about an invalid key may contain a part of it.
  have=$(print_identity 2> /dev/null | age-keygen -y 2> /dev/null) ||
    fail WrongKey "there is no private key of age, AGE-SECRET-KEY-1..., in ${BACKUP_AGE_IDENTITY_FILE:-BACKUP_AGE_IDENTITY}: backup $backup needs that of ${wanted:-somebody}"
  for key in $have; do
    [[ " ${wanted:-$key} " != *" $key "* ]] || return 0
  done
  fail WrongKey "backup $backup is encrypted for $wanted, and the private key that is given is that of ${have//$'\n'/, }"
}

print_identity() {
  if [[ -n $age_identity ]]; then printf '%s\n' "$age_identity"; else cat "$BACKUP_AGE_IDENTITY_FILE"; fi
}
