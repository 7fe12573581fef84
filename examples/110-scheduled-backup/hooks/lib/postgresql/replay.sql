-- For what is made again: the files that say how it was, and how a setting is made; of one that is a list, each element would
-- be taken for the whole.
\set globals `cat "$GLOBALS"`
\set database `cat "$DATABASE"`
\set made `cat "$MADE"`
\set setting 'case when name in (''search_path'', ''temp_tablespaces'', ''local_preload_libraries'', ''session_preload_libraries'', ''shared_preload_libraries'', ''unix_socket_directories'') then format(''select pg_catalog.set_config(%L, %L, true); alter %s set %I from current'', name, value, whose, name) else format(''alter %s set %s to %L'', whose, (select string_agg(quote_ident(part), ''.'') from unnest(string_to_array(name, ''.'')) part), value) end'
