#!/usr/bin/env bash
# Restores a backup of PostgreSQL beside the present database, and then in its place.
database=postgresql
dump_name=dump.tar
# shellcheck source=../hooks/lib/restore.sh
source "$(dirname "${BASH_SOURCE[0]}")/../hooks/lib/restore.sh"
# shellcheck source=../hooks/lib/postgresql.sh
source "$lib/postgresql.sh"

usage() {
  cat <<'TEXT'
postgresql.sh [--list] [--backup NAME] [--take-over IDENTITY] [--force]
  --list       print the backups there are
  --backup     the one to restore; without it the newest
  --take-over  whose backup may be restored, when it is of another database than this one
  --force      restore although the database has tables: it is kept as <database>_before_<time>; or although the server
               is older than the one that was backed up
The user needs the right to create databases, and roles where they are missing; PGUSER and PGPASSWORD say which.
TEXT
}

restore_arguments() {
  (($# == 0)) || fail BadSettings "unknown argument $1: see --help"
}

main() {
  restore_begin "$@"
  learn_version
  [[ $dump_name == dump.tar ]] || refuse "backup $backup holds $dump_name, which was made without its roles: bring it back with pg_restore or psql"
  unpack "$dump"
  rm "$dump"
  step look
  refuse_older_server
  if [[ $(jq -r .scope "$parts/globals.json") == cluster ]]; then
    restore_cluster
  else
    restore_database
  fi
}

learn_version() {
  server=$(beside server_version_num 2> "$work/stderr") ||
    fail DatabaseUnreachable "PostgreSQL at $PGHOST does not answer: $(last_words "$work/stderr")"
  set_options "$server"
}

# It is not known what of a newer version an older one accepts.
refuse_older_server() {
  local taken now=$((server / 10000))
  taken=$(jq -r '.server // ""' "$manifest")
  [[ $taken =~ ^[0-9]+\. && $force == no ]] || return 0
  taken=${taken%%.*}
  ((now >= taken)) ||
    refuse "backup $backup is of PostgreSQL $taken, and $PGHOST is PostgreSQL $now: restore it to a server of version $taken or newer; with --force it is tried all the same"
}

restore_database() {
  local exists tables=0
  exists=$(maintain <<< "select 1 from pg_database where datname = :'name'")
  [[ -z $exists ]] || tables=$(query "$user_tables")
  name_database "$PGDATABASE"
  [[ $tables == 0 || $force == yes ]] ||
    refuse "database $PGDATABASE at $PGHOST has $tables tables: with --force the backup takes its place, and it is kept as $before"
  step restore
  undo=drop_restored
  make_roles
  fill_database 1
  try RestoreFailed "nothing was changed" set_roles
  step swap
  try RestoreFailed "nothing was changed; is somebody at work in $PGDATABASE who comes back at once? Then stop that first" swap
  undo=
  if [[ -n $exists && $tables == 0 ]]; then
    maintain <<< 'drop database :"before"'
  elif [[ -n $exists ]]; then
    echo "what was there is kept as database $before: drop it when it is not needed"
  fi
  tell_of_roles
  echo "restored backup $backup to database $PGDATABASE at $PGHOST"
}

# Restores every role and database of a server, to a new server only.
restore_cluster() {
  local databases file
  databases=$(maintain <<< "select string_agg(datname, ' ') from pg_database where not datistemplate and datname <> 'postgres'")
  [[ -z $databases ]] || refuse "the server $PGHOST has the databases $databases: a whole server is restored to a new one only, also with --force"
  step restore
  advice="the server holds a part of the backup now, begin with a new one"
  make_roles
  try RestoreFailed "$advice" make_tablespaces
  for file in "$parts"/*.pgcustom; do
    PGDATABASE=$(jq -r .name "${file%.pgcustom}.json")
    name_database "$PGDATABASE"
    fill_database "$(basename "$file" .pgcustom)"
    try RestoreFailed "$advice" swap
    maintain <<< 'drop database if exists :"before"' 2> "$work/stderr"
  done
  # This also changes the password of the current user, so it comes last.
  try RestoreFailed "$advice" set_roles
  echo "restored backup $backup to the server $PGHOST; roles have the passwords they had then"
}

name_database() { # NAME
  restored=restored_$stamp before=$1_before_$stamp
  # The server would truncate a longer name.
  ((${#before} <= 63)) || before=before_$stamp
}

# Restores a database with all its properties, under a temporary name.
fill_database() { # NUMBER
  local part=$parts/$1
  try RestoreFailed "$advice" maintain_with "$part.json" -v target="$restored" -v locale=own -f "$sql/make-database.sql"
  [[ $(jq .public "$part.schema.json") == true ]] || PGDATABASE=$restored query 'drop schema public'
  try RestoreFailed "$advice" fill_restored "$part"
  try RestoreFailed "$advice" maintain_with "$part.json" -v target="$restored" -f "$sql/finish-database.sql" > "$work/said"
}

fill_restored() { # PART
  local missing
  missing=$(jq -r '.tablespaces | join("\n")' "$1.schema.json" | grep -vxF -f <(maintain <<< 'select spcname from pg_tablespace') || true)
  [[ -z $missing ]] || echo "there are no tablespaces $missing: all goes to the default one"
  # Materialized views are filled with the rights of their owners, from whom row security may hide rows.
  local flags=(--enable-row-security)
  [[ -z $missing ]] || flags+=(--no-tablespaces)
  if ((server / 10000 >= $(major pg_restore))); then
    pg_restore --exit-on-error "${flags[@]}" -d "$restored" "$1.pgcustom"
  else
    pg_restore "${flags[@]}" --file=- "$1.pgcustom" | for_older_server |
      PGDATABASE=$restored psql -Xq -v ON_ERROR_STOP=1 > /dev/null
  fi
}

# The tools since version 17 begin each database with a setting that servers before 17 do not know.
for_older_server() {
  awk 'NR == 1 || /^\\connect / {head = 1} head && /^SET transaction_timeout = 0;$/ {head = 0; next} {print}'
}

advice="nothing was changed"

# Makes the missing roles and their memberships, which rights may depend on.
make_roles() {
  maintain_with /dev/null -1 -v otherwise=noinherit -f "$sql/make-roles.sql" > "$work/made.json" 2> "$work/stderr" ||
    fail RestoreFailed "roles are missing, and $PGUSER cannot make them; make them, or be a superuser; $advice: $(last_words "$work/stderr")"
  mv "$work/made.json" "$parts/made.json"
  try RestoreFailed "$advice" maintain_with /dev/null -f "$sql/join-roles.sql" > "$work/said"
}

set_roles() {
  maintain_with /dev/null -f "$sql/set-roles.sql" > "$work/said"
}

make_tablespaces() {
  maintain_with /dev/null <<'SQL'
select format('create tablespace %I owner %I location %L', t->>'name', t->>'owner', t->>'location')
from jsonb_array_elements(:'globals'::jsonb->'tablespaces') t
where not exists (select from pg_tablespace where spcname = t->>'name')
\gexec
SQL
}

tell_of_roles() {
  [[ $(< "$parts/made.json") == '[]' ]] || jq -r --slurpfile made "$parts/made.json" '
    [.roles[] | select(.name | IN($made[0][])) | . as $role
      | ["login", "superuser", "createrole", "createdb", "replication", "bypassrls"] | map(select($role[.]))
      | "\($role.name) (\(if length > 0 then "it had " + join(", ") else "as it was" end))"]
    | "made the roles that were missing, without a password or rights on the whole server: \(join(", ")); give them what they need with ALTER ROLE"
  ' "$parts/globals.json"
}

drop_restored() {
  maintain <<< 'drop database if exists :"restored"' 2> /dev/null
  maintain_with /dev/null <<< "select format('drop role %I', name) from jsonb_array_elements_text(:'made'::jsonb) name \\gexec"
}

# Renames both databases, or neither.
swap() {
  maintain <<'SQL'
select pg_terminate_backend(pid) from pg_stat_activity where datname = :'name' and pid <> pg_backend_pid() \g /dev/null
begin;
select format('alter database %I rename to %I', :'name', :'before') where exists (select from pg_database where datname = :'name') \gexec
alter database :"restored" rename to :"name";
commit;
SQL
}

# Runs the SQL on standard input in another database; the name of this one is in :'name'.
maintain() { # ARGUMENT...
  beside run_sql -v name="$PGDATABASE" -v restored="${restored:-}" -v before="${before:-}" "$@" -f -
}

# The same, with the files of the backup in variables. Without further arguments it runs standard input.
maintain_with() { # DATABASE-FILE ARGUMENT...
  (($# > 1)) || set -- "$1" -f -
  beside replay "$@"
}

beside() { # COMMAND...
  local maintenance=postgres
  [[ $PGDATABASE != postgres ]] || maintenance=template1
  PGDATABASE=$maintenance "$@"
}

user_tables="select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'"

main "$@"
