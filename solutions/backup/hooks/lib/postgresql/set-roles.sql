-- Gives roles their attributes and settings. With scope database: to the roles in :made, which were missing, what is
-- harmless. With scope cluster: to all roles, with rights and passwords; the current user comes last.
with roles as (
  select r->>'name' as name, r as role, :'globals'::jsonb->>'scope' = 'cluster' as whole
  from jsonb_array_elements(:'globals'::jsonb->'roles') r
  where :'globals'::jsonb->>'scope' = 'cluster' or :'made'::jsonb ? (r->>'name')
), attributes as (
  select name, string_agg(case when (role->>key)::boolean then key else 'no' || key end, ' ') as words
  from roles, unnest(array['superuser', 'createrole', 'createdb', 'replication', 'bypassrls', 'inherit', 'login']) key
  where whole or key = 'inherit' or (key = 'login' and role->>'password' is not null)
  group by name
)
select format('alter role %I with %s connection limit %s', name, words, role->>'limit')
    || coalesce(' valid until ' || quote_literal(role->>'until'), '')
    || case when whole or role->>'password' is not null then format(' password %L', role->>'password') else '' end,
  case when role->>'comment' is not null then format('comment on role %I is %L', name, role->>'comment') end
from roles join attributes using (name)
order by name = current_user
\gexec
select :setting from (
  select format('role %I', r->>'name') as whose, s->>'name' as name, s->>'value' as value
  from jsonb_array_elements(:'globals'::jsonb->'roles') r, jsonb_array_elements(r->'settings') s
  where :'globals'::jsonb->>'scope' = 'cluster' or :'made'::jsonb ? (r->>'name')
) s
\gexec
select format('grant %s on parameter %s to %s', p->>'right',
  (select string_agg(quote_ident(part), '.') from unnest(string_to_array(p->>'name', '.')) part),
  coalesce(quote_ident(p->>'grantee'), 'public')) || case when (p->>'grantable')::boolean then ' with grant option' else '' end
from jsonb_array_elements(:'globals'::jsonb->'parameters') p
\gexec
