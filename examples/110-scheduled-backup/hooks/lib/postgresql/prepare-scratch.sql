-- Lets :restorer, who is no superuser, restore in the name of all roles of the dump: none of them, :made, is a superuser
-- here, or a member of anything. Who owns something or grants rights must be allowed to, before it has rights: :maker is.
create role :"maker" nologin;
create role :"restorer" login bypassrls password :'password' in role :"maker";
select format('grant %I to %I', name, :'restorer'), format('grant %I to %I', :'maker', name)
from jsonb_array_elements_text(:'made'::jsonb) name
\gexec
