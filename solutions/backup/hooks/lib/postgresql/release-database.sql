-- Revokes what the prepare-*.sql files have granted in a database.
drop owned by :"maker";
drop owned by :"restorer";
