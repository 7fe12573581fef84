# shellcheck shell=bash
# The server that dumps are restored to for verification: see postgresql/scratch-server.sh.
SCRATCH_LIMIT=300

# Asks for a new server, and waits until it answers.
start_scratch() {
  local ends=$((SECONDS + SCRATCH_LIMIT)) log="the container scratch-server"
  scratch_folder=${POSTGRESQL_SCRATCH:-$work}
  scratch_password=$(random_word)
  scratch_admin=scratch_${scratch_password:0:16} restorer=restorer_${scratch_password:0:16} maker=maker_${scratch_password:0:16}
  reader=reader_${scratch_password:0:16}
  if [[ -z $POSTGRESQL_SCRATCH ]]; then
    mkdir "$work/wanted" "$work/server"
    (
      # The server must not inherit the lock on the folder, which belongs to this run.
      exec {folder_fd}<&-
      exec env -i PATH="$PATH" LC_ALL=C bash "$sql/scratch-server.sh" "$work"
    ) > "$work/server.log" 2>&1 &
    scratch_pid=$!
    log="the log: "
  fi
  want_server "$scratch_password"
  until scratch pg_isready -q && scratch_version=$(scratch server_version_num 2> "$work/stderr"); do
    [[ -z ${scratch_pid:-} ]] || kill -0 "$scratch_pid" 2> /dev/null ||
      fail VerifyFailed "the scratch server does not start: $(last_words "$work/server.log")"
    ((SECONDS < ends)) ||
      fail VerifyFailed "no scratch server at $scratch_folder/server after $SCRATCH_LIMIT seconds: look at $log: $(last_words "$work/stderr")"
    sleep 0.1
  done
}

# Stops the server; everything that was restored goes with it.
stop_scratch() {
  [[ -n ${scratch_folder:-} ]] || return 0
  want_server ''
  [[ -z ${scratch_pid:-} ]] || {
    kill "$scratch_pid" 2> /dev/null || true
    wait "$scratch_pid" 2> /dev/null || true
  }
  scratch_pid='' scratch_folder=
}

# The server runs as another user, so the group of the Pod must be able to read the file.
want_server() { # PASSWORD
  (umask 027 && printf %s "$1" > "$scratch_folder/wanted/.password")
  mv -f "$scratch_folder/wanted/.password" "$scratch_folder/wanted/password"
}

# Runs a command as the superuser of the scratch server. It must not evaluate anything that comes from a dump.
scratch() {
  scratch_as "$scratch_admin" "$@"
}

scratch_as() ( # USER COMMAND...
  # Removes all variables that lead to the server that is backed up.
  unset "${!PG@}"
  export PGHOST=$scratch_folder/server PGPORT=5432 PGUSER=$1 PGPASSWORD=$scratch_password PGSSLMODE=disable
  PGOPTIONS=$(session_options "${scratch_version:-0}")${scratch_options:-}
  export PGDATABASE=${scratch_database:-postgres} PGOPTIONS
  "${@:2}"
)
