# The first step of a migration: the old version writes all it has to the volume. Its data stays as it is.
. /scripts/common.sh
lock_volume 300
[ "$(current)" != "$TO" ] || exit 0
[ "$(current)" = "$FROM" ] || fail "the data is of version $(current), not of $FROM"
find /volume -mindepth 1 -maxdepth 1 ! -name "$FROM" ! -name current ! -name lock ! -name lost+found -exec rm -rf {} +
serve_here "/volume/$FROM" "$@"
dump_all | gzip >/volume/export
is_complete /volume/export || fail 'the export is not complete'
end_server
