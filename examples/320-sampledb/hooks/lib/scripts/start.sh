# Serves the data of the version MAJOR; the arguments are settings of PostgreSQL.
. /scripts/common.sh
lock_volume 60
data=/volume/$MAJOR

# From here on no other version serves.
make_current() {
  printf %s "$MAJOR" >/volume/current.part
  sync
  mv /volume/current.part /volume/current
  sync
}

case $(current) in
  "$MAJOR")
    [ -d "$data" ] || [ ! -d "$data.migrated" ] || mv "$data.migrated" "$data"
    [ -d "$data" ] || fail "the data of version $MAJOR is gone from the volume: restore a backup"
    # What a migration made is out of date as soon as the version before it serves again.
    rm -rf /volume/*.migrated /volume/export
    ;;
  '')
    if [ ! -d "$data" ]; then
      make_server "$data"
      mv "$data.part" "$data"
    fi
    make_current
    ;;
  *)
    [ -d "$data.migrated" ] || fail "the data is of version $(current), and was not migrated to $MAJOR"
    rm -rf "$data"
    make_current
    mv "$data.migrated" "$data"
    sync
    ;;
esac
chmod 700 "$data"
# The password is that of the Secret, also where that has changed since.
postgres --single -c exit_on_error=on -D "$data" postgres >/dev/null \
  <<<"alter role postgres password '${ADMIN_PASSWORD//\'/\'\'}'" || fail 'the password of the role postgres cannot be set'
postgres -D "$data" -k /tmp -c listen_addresses='*' -c hba_file=/scripts/pg_hba.conf "$@" 9>&- &
server=$!
# SIGTERM would wait for clients to leave.
trap 'kill -INT $server' TERM INT
code=0
while kill -0 "$server" 2>/dev/null; do wait "$server" && code=0 || code=$?; done
exit "$code"
