# Makes the role, the database and the extensions that are not there yet.
. /scripts/common.sh
until pg_isready -q; do sleep 1; done
export PGUSER=postgres PGPASSWORD=$ADMIN_PASSWORD
psql -XAtq -v ON_ERROR_STOP=1 -v name="$DATABASE" -v password="$PASSWORD" -d postgres <<'SQL'
select format('create role %I login', :'name') where not exists (select from pg_roles where rolname = :'name') \gexec
alter role :"name" password :'password';
select format('create database %I owner %I', :'name', :'name')
  where not exists (select from pg_database where datname = :'name') \gexec
SQL
for extension in $EXTENSIONS; do
  psql -Xq -v ON_ERROR_STOP=1 -v name="$extension" -d "$DATABASE" <<<'create extension if not exists :"name"'
done
echo "database $DATABASE is configured"
