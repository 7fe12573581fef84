# Takes a backup of all databases. Older ones go when the new one is complete, so that the last good one stays.
. /scripts/common.sh
until pg_isready -q; do sleep 1; done
export PGUSER=postgres PGPASSWORD=$ADMIN_PASSWORD
folder=/backups/$FOLDER
mkdir -p "$folder"
find "$folder" -name '*.part' -mmin +1440 -delete
file=$folder/$(date -u +%Y%m%dT%H%M%SZ)-$REASON.sql.gz
trap 'rm -f "$file.part"' EXIT
dump_all | gzip >"$file.part"
is_complete "$file.part" || fail "the dump $file is not complete"
sync "$file.part"
mv "$file.part" "$file"
sync "$folder"
find "$folder" -name '*.sql.gz' | sort | head -n "-$KEEP" | xargs -r rm --
echo "backup $file is complete"
