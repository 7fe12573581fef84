-- Prints who owns what in a database, and who has which rights on it. Objects of extensions and of the system are
-- left out, and so is the right :unknown, which the server of the backup does not know.
-- Names are printed byte by byte, as the database has them.
select set_config('client_encoding', current_setting('server_encoding'), false) as client_encoding
\gset
with ours as (
  select * from (
    select 'pg_namespace'::regclass as class, oid, 0 as part, nspowner as owner, nspacl as acl, 'n' as kind
    from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
    union all
    select 'pg_class'::regclass, oid, 0, relowner, relacl, case relkind when 'S' then 's' else 'r' end
    from pg_class where relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select 'pg_class'::regclass, attrelid, attnum, relowner, attacl, null
    from pg_attribute join pg_class on pg_class.oid = attrelid where attacl is not null
    union all
    select 'pg_proc'::regclass, oid, 0, proowner, proacl, 'f' from pg_proc
    union all
    select 'pg_type'::regclass, t.oid, 0, typowner, typacl, 'T' from pg_type t left join pg_class c on c.oid = t.typrelid
    where typcategory <> 'A' and (typrelid = 0 or c.relkind = 'c')
      and not exists (select from pg_range r where to_jsonb(r)->>'rngmultitypid' = t.oid::text)
    union all
    select 'pg_language'::regclass, oid, 0, lanowner, lanacl, 'l' from pg_language
    union all
    select 'pg_foreign_data_wrapper'::regclass, oid, 0, fdwowner, fdwacl, 'F' from pg_foreign_data_wrapper
    union all
    select 'pg_foreign_server'::regclass, oid, 0, srvowner, srvacl, 'S' from pg_foreign_server
    union all
    select 'pg_largeobject'::regclass, oid, 0, lomowner, lomacl, 'L' from pg_largeobject_metadata
    union all
    select 'pg_default_acl'::regclass, oid, 0, defaclrole, defaclacl, null from pg_default_acl
    union all
    select 'pg_operator'::regclass, oid, 0, oprowner, null, null from pg_operator
    union all
    select 'pg_opclass'::regclass, oid, 0, opcowner, null, null from pg_opclass
    union all
    select 'pg_opfamily'::regclass, oid, 0, opfowner, null, null from pg_opfamily
    union all
    select 'pg_collation'::regclass, oid, 0, collowner, null, null from pg_collation
    union all
    select 'pg_conversion'::regclass, oid, 0, conowner, null, null from pg_conversion
    union all
    select 'pg_ts_config'::regclass, oid, 0, cfgowner, null, null from pg_ts_config
    union all
    select 'pg_ts_dict'::regclass, oid, 0, dictowner, null, null from pg_ts_dict
    union all
    select 'pg_statistic_ext'::regclass, oid, 0, stxowner, null, null from pg_statistic_ext
  ) every where not exists (
    select from pg_depend d
    where d.classid = every.class and d.objid = every.oid and d.deptype = 'e'
  )
), named as (
  select i.type, i.schema, i.identity, pg_get_userbyid(owner) as owner,
    case when kind is null then acl else coalesce(acl, acldefault(kind::"char", owner)) end as acl
  from ours, pg_identify_object(class, oid, part) i
)
select type, replace(identity, E'\n', ' '), owner, (
  select string_agg(format('%s=%s%s/%s', case a.grantee when 0 then '' else pg_get_userbyid(a.grantee) end,
    a.privilege_type, case when a.is_grantable then '*' else '' end, pg_get_userbyid(a.grantor)), ' '
    order by a.grantee = 0, pg_get_userbyid(a.grantee), a.privilege_type, pg_get_userbyid(a.grantor))
  from aclexplode(acl) a where a.privilege_type <> :'unknown'
)
from named
where (schema is null or (schema !~ '^pg_' and schema <> 'information_schema'))
  and not (type = 'language' and identity in ('internal', 'c', 'sql', 'plpgsql'))
order by type collate "C", identity collate "C", owner collate "C";
