-- Prints the number of large objects, and a line for each row of each table that is dumped, of the shortest column; :dumped
-- says which tables are. Nothing is counted here, as to plan a query calls functions of whoever owns the table.
-- Byte by byte, as the database has it.
select set_config('client_encoding', current_setting('server_encoding'), false) as client_encoding
\gset
select :'mark', 'large objects';
select 1 from pg_largeobject_metadata;
select format('select %L, %L', :'mark', replace(n.nspname || '.' || c.relname, E'\n', ' ')),
  format('copy %I.%I%s to stdout', n.nspname, c.relname, (
    select format(' (%I)', a.attname) from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and coalesce(to_jsonb(a)->>'attgenerated', '') = ''
    order by a.attlen < 0, a.attlen, a.attnum limit 1))
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and c.relpersistence in (:dumped) and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')
order by n.nspname collate "C", c.relname collate "C"
\gexec
