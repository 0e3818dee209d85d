-- An export of a program that ended before anything was traced, because a library of nsys could not be loaded into it.
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, contentId INTEGER);
INSERT INTO StringIds VALUES
    (1, '/tmp/nsys/streams/pid_18_stderr.log'),
    (2, 'python: symbol lookup error: /opt/nsys/libToolsInjectionProxy64.so: undefined symbol: __libc_dlclose' || char(10));
INSERT INTO ProcessStreams VALUES (18 << 24, 1, 2);
