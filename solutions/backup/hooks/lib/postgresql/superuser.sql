-- Prints which objects in a dump only a superuser may make, by class and ID, as the table of contents of the dump has
-- them. A superuser of the server that is backed up has made them.
select format('%s %s', class::oid, oid) from (
  select 'pg_proc'::regclass as class, p.oid from pg_proc p join pg_language l on l.oid = p.prolang
  where (not l.lanpltrusted or p.proleakproof or coalesce((to_jsonb(p)->>'prosupport')::text, '-') <> '-')
    and not exists (select from pg_aggregate a where a.aggfnoid = p.oid)
  union all
  select 'pg_type'::regclass, oid from pg_type where typtype in ('b', 'p') and typcategory <> 'A'
  union all
  -- A cast may be between types of other owners. Making any of them calls no function.
  select 'pg_cast'::regclass, oid from pg_cast
  union all
  select 'pg_language'::regclass, oid from pg_language
  union all
  select 'pg_opclass'::regclass, oid from pg_opclass
  union all
  select 'pg_opfamily'::regclass, oid from pg_opfamily
  union all
  select 'pg_am'::regclass, oid from pg_am
  union all
  select 'pg_ts_parser'::regclass, oid from pg_ts_parser
  union all
  select 'pg_ts_template'::regclass, oid from pg_ts_template
  union all
  select 'pg_transform'::regclass, oid from pg_transform
) every
where oid >= 16384 and not exists (
  select from pg_depend d where d.classid = every.class and d.objid = every.oid and d.deptype = 'e'
);
