-- Takes back what `prepare-…` has granted in a database.
drop owned by :"maker";
drop owned by :"restorer";
