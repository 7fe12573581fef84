-- Makes the role :reader, which may read all rows of this database and is not a member of a role that owns any.
create role :"reader" login bypassrls password :'password';
-- Since version 14 there is a predefined role for this.
select current_setting('server_version_num')::int >= 140000 as has_role_for_it
\gset
\if :has_role_for_it
grant pg_read_all_data to :"reader";
\else
select format('grant usage on schema %I to %I', nspname, :'reader'),
  format('grant select on all tables in schema %I to %I', nspname, :'reader'),
  format('grant select on all sequences in schema %I to %I', nspname, :'reader')
from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
\gexec
\endif
