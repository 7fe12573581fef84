-- Gives a new database to :restorer, and rights in its schemas to :maker. Drops the schema public if :schema says
-- that the database had none.
select format('alter database %I owner to %I', current_database(), :'restorer')
\gexec
select 'drop schema public' where not (:'schema'::jsonb->>'public')::boolean
union all
select format('grant create, usage on schema public to %I', :'maker') where (:'schema'::jsonb->>'public')::boolean
\gexec
alter default privileges for role :"restorer" grant create, usage on schemas to :"maker";
