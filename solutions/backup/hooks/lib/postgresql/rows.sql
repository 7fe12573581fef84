-- Prints a line with :mark and a name for the large objects and for each table whose rows are dumped (:dumped says
-- which), and after it a line for each large object or row, with the shortest column. Nothing is counted here, as
-- planning a query calls functions of the owner of the table.
-- Values are printed byte by byte, as the database has them.
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
