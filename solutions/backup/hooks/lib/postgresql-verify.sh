# shellcheck shell=bash
# Restores the parts of a backup to the scratch server, as any restore does, except that nothing that the owner of a
# database has written runs as a superuser. Then compares the result with the backup.

# Restores all databases; after this, `ask_restored` can query them.
restore_parts() {
  local number
  scope=$(jq -r .scope "$parts/globals.json")
  server_major=$(($(jq .version "$parts/globals.json") / 10000))
  scratch replay /dev/null -v otherwise=inherit -f "$sql/make-roles.sql" > "$work/made.json" 2> "$work/stderr" || unverified "its roles cannot be made"
  mv "$work/made.json" "$parts/made.json"
  scratch replay /dev/null -v restorer="$restorer" -v maker="$maker" -v password="$scratch_password" \
    -f "$sql/prepare-scratch.sql" 2> "$work/stderr" || unverified "the scratch server cannot be prepared"
  for number in $(database_numbers); do restore_part "$number"; done
}

restore_part() { # NUMBER
  local part=$parts/$1 lists=$work/lists.$1 run
  local scratch_database=postgres target=restored_$1
  make_scratch_database "$part.json"
  scratch_database=$target
  owned -v schema="$(< "$part.schema.json")" -f "$sql/prepare-database.sql"
  divide "$part.pgcustom" "$part.superuser" "$lists"
  restore_list restorer schemas
  owned -v schema="$(< "$part.schema.json")" -f "$sql/prepare-extensions.sql"
  for run in "$lists"/main.*; do
    restore_list "${run##*.}" "$(basename "$run")"
  done
  restore_list superuser rights
  restore_list restorer refresh
  refuse_ownerless
  owned -f "$sql/release-database.sql"
  compare_part
}

# Objects that were given no owner still belong to the restorer, and would be dropped with it.
refuse_ownerless() {
  local count
  count=$(scratch query "select count(*) from pg_shdepend where refclassid = 'pg_authid'::regclass
    and refobjid = '$restorer'::regrole and deptype = 'o' and classid <> 'pg_default_acl'::regclass
    and dbid = (select oid from pg_database where datname = current_database())")
  ((count == 0)) || fail VerifyFailed "the restored database has other owners or rights: < $count objects have lost their owner"
}

compare_part() {
  local mark unknown_right=''
  mark=$(random_word)
  scratch run_sql -v mark="$mark" -v dumped="$(jq -r .dumped "$part.schema.json")" -f "$sql/rows.sql" 2> "$work/stderr" |
    awk -v mark="$mark" -f "$sql/count-rows.awk" > "$work/restored" || unverified "its rows cannot be counted"
  same "$part.rows" "the restored database has other rows"
  # Servers up to 16 do not know this right, and a server since 17 grants it together with all rights.
  ((server_major >= 17)) || unknown_right=MAINTAIN
  scratch run_sql -v unknown="$unknown_right" -f "$sql/rights.sql" > "$work/restored" 2> "$work/stderr" ||
    unverified "its owners and rights cannot be read"
  same "$part.rights" "the restored database has other owners or rights"
}

# Runs one query in a restored database, as a role that may read all of it and nothing else. Functions called by the
# query have no other rights.
ask_restored() { # NUMBER SQL
  local scratch_database=restored_$1 scratch_options='-c default_transaction_read_only=on'
  scratch_options='' scratch run_sql -v reader="$reader" -v password="$scratch_password" -f "$sql/make-reader.sql" || return
  scratch_as "$reader" psql -XAtq -v ON_ERROR_STOP=1 -c "$2"
}

# Gives roles and databases what they have as a whole. From here on roles may be as powerful as they were: only this
# run is connected, and no restored function is called.
finish_parts() {
  local number part target
  for number in $(database_numbers); do
    part=$parts/$number target=restored_$number
    lists=$work/lists.$number scratch_database=$target restore_list superuser system
    scratch replay "$part.json" -v target="$target" -f "$sql/finish-database.sql" > /dev/null 2> "$work/stderr" ||
      unverified "the database cannot have the owner, the rights and settings it had"
  done
  scratch query "drop role $restorer; drop role $maker" 2> "$work/stderr" || unverified "something belongs to nobody"
  scratch replay /dev/null -f "$sql/join-roles.sql" -f "$sql/set-roles.sql" > /dev/null 2> "$work/stderr" ||
    unverified "its roles cannot have what they had"
  compare_roles
  for number in $(database_numbers); do compare_whole "$number"; done
}

# A locale that is missing in the image must not make the backup fail.
make_scratch_database() { # DATABASE-FILE
  local locale
  for locale in own C; do
    scratch replay "$1" -v target="$target" -v locale="$locale" -f "$sql/make-database.sql" 2> "$work/stderr" && return
    [[ $locale == C ]] || echo "restored with the locale C, as it cannot be with its own: $(last_words "$work/stderr")"
  done
  unverified "no database can be made"
}

# Runs SQL in the database that is being restored, with the names of restorer and maker.
owned() { # ARGUMENT...
  scratch run_sql -v restorer="$restorer" -v maker="$maker" "$@" > /dev/null 2> "$work/stderr" ||
    unverified "an extension or a right cannot be made; is it missing in the image? Then install it, or set BACKUP_VERIFY=read"
}

# Divides the table of contents of a dump by who restores an entry, and when: what was not made by a superuser is
# never restored by one, except for rights, which call no function. Entries are recognized by ID and kind, as a name
# may be anything.
divide() { # ARCHIVE IDS-OF-SUPERUSERS FOLDER
  rm -rf "$3"
  mkdir "$3"
  touch "$3/schemas" "$3/rights" "$3/refresh" "$3/system"
  pg_restore --list "$1" > "$work/contents" 2> "$work/stderr" || unverified "its table of contents cannot be read"
  awk -v folder="$3" '
    FILENAME == ARGV[1] {theirs[$0]; next}
    !/^[0-9]+; [0-9]+ [0-9]+ / {next}
    {
      entry = $0
      sub(/^[0-9]+; [0-9]+ [0-9]+ /, "", entry)
      list = ""
      if (entry ~ /^SCHEMA /) list = "schemas"
      else if (entry ~ /^(COMMENT - )?(EVENT TRIGGER|PUBLICATION|SUBSCRIPTION) /) next
      else if (entry ~ /^PUBLICATION (TABLE|TABLES IN SCHEMA) /) next
      else if (entry ~ /^ACL (pg_catalog|information_schema) /) list = "system"
      else if (entry ~ /^(DEFAULT )?ACL /) list = "rights"
      else if (entry ~ /^MATERIALIZED VIEW DATA /) list = "refresh"
      else {
        who = ($2 " " $3 in theirs) || entry ~ /^(SHELL TYPE|COMMENT - EXTENSION) / ? "superuser" : "restorer"
        if (who != last) {
          close(folder "/" current)
          current = sprintf("main.%05d.%s", ++runs, who)
          last = who
        }
        list = current
      }
      print > (folder "/" list)
    }' "$2" "$work/contents"
}

restore_list() { # superuser|restorer LIST
  local user=$scratch_admin
  [[ -s $lists/$2 ]] || return 0
  [[ $1 == superuser ]] || user=$restorer
  scratch_as "$user" pg_restore --exit-on-error --enable-row-security --no-tablespaces --use-list="$lists/$2" -d "$target" "$part.pgcustom" 2> "$work/stderr" ||
    unverified "the dump cannot be restored; is an extension missing in the image? Then install it, or set BACKUP_VERIFY=read"
}

# Compares the owner, rights and settings of a database. Its name differs on the scratch server, and its locale and
# tablespace may differ.
compare_whole() { # NUMBER
  local own='del(.name, .collate, .ctype, .locale, .provider, .rules, .tablespace)
    | .rights |= if . then sort_by(tostring) else . end'
  scratch run_sql -v name="restored_$1" -f "$sql/database.sql" > "$work/database.json"
  jq -S "$own" "$work/database.json" > "$work/restored"
  jq -S "$own" "$parts/$1.json" > "$work/expected"
  same "$work/expected" "the restored database has another owner, other rights or settings"
}

compare_roles() {
  local values=(--arg own "$scratch_admin" --arg scope "$scope" --argjson version "$server_major")
  scratch run_sql -v scope=cluster -v passwords=true -f "$sql/roles.sql" > "$work/globals.json"
  jq -S "${values[@]}" "$compared" "$work/globals.json" > "$work/restored"
  jq -S "${values[@]}" "$compared" "$parts/globals.json" > "$work/expected"
  same "$work/expected" "the restored server has other roles"
}

# With scope database, roles are made without rights on the whole server. Memberships have more options since version
# 16.
compared='{
  roles: .roles | map(select(.name != $own) | if $scope == "cluster" then . else {name, inherit} end),
  parameters: .parameters | map(select(.grantee != $own)),
  members: .members | map(if $version >= 16 then . else {role, member, admin} end)
}'

same() { # FILE MESSAGE
  cmp -s "$1" "$work/restored" || fail VerifyFailed "$2: $(diff "$1" "$work/restored" | grep -m 1 '^[<>]' || true)"
}

unverified() { # MESSAGE
  fail VerifyFailed "$1: $(last_words "$work/stderr")"
}
