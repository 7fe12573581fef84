-- Loads the files of a backup into variables. :setting formats the statement that sets a setting; for a setting that
-- is a list, a plain ALTER ... SET would take the whole list for one element.
\set globals `cat "$GLOBALS"`
\set database `cat "$DATABASE"`
\set made `cat "$MADE"`
\set setting 'case when name in (''search_path'', ''temp_tablespaces'', ''local_preload_libraries'', ''session_preload_libraries'', ''shared_preload_libraries'', ''unix_socket_directories'') then format(''select pg_catalog.set_config(%L, %L, true); alter %s set %I from current'', name, value, whose, name) else format(''alter %s set %s to %L'', whose, (select string_agg(quote_ident(part), ''.'') from unnest(string_to_array(name, ''.'')) part), value) end'
