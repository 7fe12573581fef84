-- Lets :restorer, which is no superuser, restore on behalf of all roles of the dump, :made. None of them is a
-- superuser here, or a member of another role of the dump. A role must be allowed to own objects and to grant rights
-- before its own rights are restored: as a member of :maker it is.
create role :"maker" nologin;
create role :"restorer" login bypassrls password :'password' in role :"maker";
select format('grant %I to %I', name, :'restorer'), format('grant %I to %I', :'maker', name)
from jsonb_array_elements_text(:'made'::jsonb) name
\gexec
