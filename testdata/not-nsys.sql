-- A database of another program that happens to have a table named like nsys's.
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE customers (name TEXT);
