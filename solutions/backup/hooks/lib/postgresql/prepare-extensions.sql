-- Makes the extensions of :schema that are available here, before anything of the database's owner exists.
select format('create extension if not exists %I schema %I cascade', e->>'name', e->>'schema')
from jsonb_array_elements(:'schema'::jsonb->'extensions') with ordinality x (e, n)
where e->>'name' in (select name from pg_available_extensions)
order by n
\gexec
select format('grant usage on foreign data wrapper %I to %I', fdwname, :'maker') from pg_foreign_data_wrapper
union all
select format('grant all on %s to %I', part::regclass, :'maker') from pg_extension, unnest(extconfig) part
\gexec
