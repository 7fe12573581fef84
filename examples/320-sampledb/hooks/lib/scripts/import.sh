# The second step of a migration: the new version reads it into a server of its own, which counts once it is started.
. /scripts/common.sh
lock_volume 300
[ "$(current)" != "$TO" ] || exit 0
[ ! -d "/volume/$TO.migrated" ] || exit 0
make_server "/volume/$TO"
serve_here "/volume/$TO.part" "$@"
gzip -dc /volume/export | psql -Xq -v ON_ERROR_STOP=1 -d postgres >/dev/null
vacuumdb --all --analyze-only --quiet
end_server
sync
mv "/volume/$TO.part" "/volume/$TO.migrated"
rm /volume/export
echo "migrated from $FROM to $TO"
