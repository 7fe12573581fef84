-- Prints the roles that a dump of this database needs: owners, roles with rights, the roles these are members of, and
-- their members. With :scope cluster, prints all roles. With :passwords true, adds the passwords, which only a
-- superuser may read.
\set password null
\if :passwords
\set password '(select rolpassword from pg_authid a where a.oid = r.oid)'
\endif
-- Since version 15 there are rights on settings.
\set parameters '''[]''::jsonb'
select current_setting('server_version_num')::int >= 150000 and :'scope' = 'cluster' as has_parameters
\gset
\if :has_parameters
\set parameters '(select coalesce(jsonb_agg(jsonb_build_object(''name'', parname, ''right'', a.privilege_type, ''grantee'', g.rolname, ''grantable'', a.is_grantable) order by parname, g.rolname, a.privilege_type), ''[]'') from pg_parameter_acl, aclexplode(paracl) a left join pg_roles g on g.oid = a.grantee)'
\endif
with recursive this as (
  select oid, datdba from pg_database where datname = current_database()
), named as (
  select refobjid as oid from pg_shdepend s, this
  where refclassid = 'pg_authid'::regclass
    and (s.dbid = this.oid or (s.classid = 'pg_database'::regclass and s.objid = this.oid))
  union select datdba from this
  union select setrole from pg_db_role_setting s, this where s.setdatabase = this.oid and s.setrole <> 0
), ordinary as (
  select r.oid from named join pg_roles r on r.oid = named.oid where not r.rolsuper and r.rolname !~ '^pg_'
), above as (
  select oid from ordinary union select m.roleid from pg_auth_members m join above on m.member = above.oid
), below as (
  select oid from ordinary union select m.member from pg_auth_members m join below on m.roleid = below.oid
), needed as (
  -- PostgreSQL does not record what the first superuser (OID 10) owns.
  select * from pg_roles r where r.rolname !~ '^pg_' and (:'scope' = 'cluster' or r.oid = 10
    or r.oid in (select oid from named union select oid from above union select oid from below))
), members as (
  select g.rolname as role, m.rolname as member, bool_or(a.admin_option) as admin,
    bool_or((to_jsonb(a)->>'inherit_option')::boolean) as inherit, bool_or((to_jsonb(a)->>'set_option')::boolean) as set
  from pg_auth_members a join pg_roles g on g.oid = a.roleid join needed m on m.oid = a.member
  where g.rolname ~ '^pg_' or g.oid in (select oid from needed)
  group by 1, 2
)
select jsonb_build_object(
  'scope', :'scope', 'version', current_setting('server_version_num')::int,
  'roles', (select coalesce(jsonb_agg(jsonb_build_object(
    'name', r.rolname, 'superuser', r.rolsuper, 'inherit', r.rolinherit, 'createrole', r.rolcreaterole,
    'createdb', r.rolcreatedb, 'login', r.rolcanlogin, 'replication', r.rolreplication, 'bypassrls', r.rolbypassrls,
    'limit', r.rolconnlimit, 'until', r.rolvaliduntil, 'password', :password,
    'comment', shobj_description(r.oid, 'pg_authid'),
    'settings', (select coalesce(jsonb_agg(jsonb_build_object('name', split_part(c, '=', 1), 'value', substr(c, strpos(c, '=') + 1)) order by n), '[]')
      from pg_db_role_setting s, unnest(s.setconfig) with ordinality u (c, n) where s.setrole = r.oid and s.setdatabase = 0)
  ) order by r.rolname collate "C"), '[]') from needed r),
  'members', (select coalesce(jsonb_agg(to_jsonb(m) order by m.role collate "C", m.member collate "C"), '[]') from members m),
  'parameters', :parameters,
  'tablespaces', (select coalesce(jsonb_agg(jsonb_build_object(
    'name', spcname, 'owner', pg_get_userbyid(spcowner), 'location', pg_tablespace_location(oid)) order by spcname collate "C"), '[]')
    from pg_tablespace where :'scope' = 'cluster' and spcname !~ '^pg_')
);
