-- Makes the roles that are missing, without login, and prints their names. A role that did not inherit is made with
-- :otherwise, which is inherit or noinherit.
select coalesce(jsonb_agg(r->>'name'), '[]') as made
from jsonb_array_elements(:'globals'::jsonb->'roles') r
where not exists (select from pg_roles where rolname = r->>'name')
\gset
select format('create role %I nologin %s', r->>'name', case when (r->>'inherit')::boolean then 'inherit' else :'otherwise' end)
from jsonb_array_elements(:'globals'::jsonb->'roles') r where :'made'::jsonb ? (r->>'name')
\gexec
select :'made';
