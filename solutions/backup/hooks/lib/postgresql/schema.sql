-- Prints what a dump of a database does not contain, or contains too late.
select jsonb_build_object(
  'dumped', :'dumped',
  'public', exists (select from pg_namespace where nspname = 'public'),
  'extensions', (select coalesce(jsonb_agg(jsonb_build_object('name', extname, 'schema', nspname) order by e.oid), '[]')
    from pg_extension e join pg_namespace n on n.oid = extnamespace where extname <> 'plpgsql'),
  'tablespaces', (select coalesce(jsonb_agg(distinct spcname), '[]')
    from pg_class c join pg_tablespace t on t.oid = c.reltablespace where spcname !~ '^pg_'),
  -- Not restored for verification: only a superuser can own it, or it would connect to another server.
  'unverified', (select jsonb_object_agg(kind, count) from (
    select 'eventTriggers' as kind, count(*) from pg_event_trigger t
      where not exists (select from pg_depend d where d.classid = 'pg_event_trigger'::regclass and d.objid = t.oid and d.deptype = 'e')
    union all select 'publications', count(*) from pg_publication
    union all select 'subscriptions', count(*) from pg_subscription
      where subdbid = (select oid from pg_database where datname = current_database())
  ) k where count > 0)
);
