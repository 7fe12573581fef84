-- Prints what belongs to the database :name as a whole: owner, rights, settings, locale and the like.
select jsonb_build_object(
  'name', d.datname, 'owner', pg_get_userbyid(d.datdba), 'encoding', pg_encoding_to_char(d.encoding),
  'collate', d.datcollate, 'ctype', d.datctype, 'provider', coalesce(to_jsonb(d)->>'datlocprovider', 'c'),
  'locale', coalesce(to_jsonb(d)->>'datlocale', to_jsonb(d)->>'daticulocale'), 'rules', to_jsonb(d)->>'daticurules',
  'limit', d.datconnlimit, 'comment', shobj_description(d.oid, 'pg_database'),
  'tablespace', (select spcname from pg_tablespace t where t.oid = d.dattablespace),
  'rights', (select jsonb_agg(jsonb_build_object(
      'grantor', pg_get_userbyid(a.grantor), 'grantee', case a.grantee when 0 then null else pg_get_userbyid(a.grantee) end,
      'right', a.privilege_type, 'grantable', a.is_grantable
    ) order by n)
    from aclexplode(d.datacl) with ordinality a (grantor, grantee, privilege_type, is_grantable, n)),
  'settings', (select coalesce(jsonb_agg(jsonb_build_object(
      'role', case s.setrole when 0 then null else pg_get_userbyid(s.setrole) end,
      'name', split_part(c, '=', 1), 'value', substr(c, strpos(c, '=') + 1)
    ) order by case s.setrole when 0 then null else pg_get_userbyid(s.setrole) end, n), '[]')
    from pg_db_role_setting s, unnest(s.setconfig) with ordinality u (c, n) where s.setdatabase = d.oid)
) from pg_database d where d.datname = :'name';
