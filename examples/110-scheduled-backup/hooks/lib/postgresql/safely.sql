-- Before anything else: whoever owns a database decides what its settings are, and what names without a schema mean.
set search_path = '';
set row_security = off;
set statement_timeout = 0;
set lock_timeout = 0;
set idle_in_transaction_session_timeout = 0;
