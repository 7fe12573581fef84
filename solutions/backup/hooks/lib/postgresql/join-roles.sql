-- Makes roles members of other roles; with scope database, only where one of the two was missing and is in :made.
select format('grant %I to %I', m->>'role', m->>'member') || case
    when current_setting('server_version_num')::int < 160000 or m->>'inherit' is null then
      case when (m->>'admin')::boolean then ' with admin option' else '' end
    else format(' with admin %s, inherit %s, set %s', m->>'admin', m->>'inherit', m->>'set')
  end
from jsonb_array_elements(:'globals'::jsonb->'members') m
where :'globals'::jsonb->>'scope' = 'cluster' or :'made'::jsonb ?| array[m->>'role', m->>'member']
\gexec
