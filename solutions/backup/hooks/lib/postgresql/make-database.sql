-- Makes the empty database :target with the properties of :database; with :locale C if its own locale is not known
-- here.
select format('create database %I template template0 encoding %L', :'target', d->>'encoding')
  || case when current_setting('server_version_num')::int < 150000 then '' when :'locale' = 'C' then ' locale_provider libc'
    else case d->>'provider'
      when 'i' then format(' locale_provider icu icu_locale %L', d->>'locale') || coalesce(' icu_rules ' || quote_literal(d->>'rules'), '')
      when 'b' then format(' locale_provider builtin builtin_locale %L', d->>'locale')
      else ' locale_provider libc'
    end end
  || case :'locale' when 'C' then ' lc_collate ''C'' lc_ctype ''C''' else format(' lc_collate %L lc_ctype %L', d->>'collate', d->>'ctype') end
  || coalesce((select format(' tablespace %I', spcname) from pg_tablespace where spcname = d->>'tablespace' and spcname !~ '^pg_'), '')
from (select :'database'::jsonb as d) only_one
\gexec
