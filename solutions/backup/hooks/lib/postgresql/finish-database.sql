-- Gives the database :target, whose content is complete, its owner, rights and settings.
select format('alter database %I owner to %I', :'target', :'database'::jsonb->>'owner'),
  format('alter database %I connection limit %s', :'target', :'database'::jsonb->>'limit'),
  case when :'database'::jsonb->>'comment' is not null
    then format('comment on database %I is %L', :'target', :'database'::jsonb->>'comment') end
\gexec
select format('revoke all on database %I from public, %I', :'target', :'database'::jsonb->>'owner')
where jsonb_typeof(:'database'::jsonb->'rights') = 'array'
\gexec
select format('set local role %I; grant %s on database %I to %s%s', r->>'grantor', r->>'right', :'target',
  case when r->>'grantee' is null then 'public' else format('%I', r->>'grantee') end,
  case when (r->>'grantable')::boolean then ' with grant option' else '' end)
from jsonb_array_elements(case jsonb_typeof(:'database'::jsonb->'rights') when 'array' then :'database'::jsonb->'rights' else '[]' end)
  with ordinality x (r, n)
order by r->>'grantor' = :'database'::jsonb->>'owner' desc, n
\gexec
select :setting from (
  select case when s->>'role' is null then '' else format('role %I in ', s->>'role') end || format('database %I', :'target') as whose,
    s->>'name' as name, s->>'value' as value
  from jsonb_array_elements(:'database'::jsonb->'settings') s
) s
\gexec
