-- The shape of a database that DLProf wrote.
CREATE TABLE db_version (current TEXT, original TEXT);
CREATE TABLE read_only_ops (op_id INTEGER, name INTEGER);
CREATE TABLE op_nodes (aggr_id INTEGER, op_id INTEGER);
