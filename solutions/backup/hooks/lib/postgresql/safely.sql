-- Runs before anything else: names mean objects of the system, no row is hidden, and names are printed in UTF-8, as
-- jq reads them, where the server can convert them. The other settings that an owner may have changed are in
-- `session_options`.
set search_path = '';
set row_security = off;
select set_config('client_encoding', case when current_setting('server_encoding') in ('SQL_ASCII', 'MULE_INTERNAL')
  then current_setting('server_encoding') else 'UTF8' end, false) as client_encoding
\gset
