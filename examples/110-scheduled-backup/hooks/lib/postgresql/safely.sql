-- Before anything else: names mean what the system calls so, no row is hidden, and names of all letters come as jq reads
-- them, where the server can tell. What else the owner of a database may set is in `session_options`.
set search_path = '';
set row_security = off;
select set_config('client_encoding', case when current_setting('server_encoding') in ('SQL_ASCII', 'MULE_INTERNAL')
  then current_setting('server_encoding') else 'UTF8' end, false) as client_encoding
\gset
