"""Damage to rows, columns and tables: what SQLite reads, and no program should have written."""

import sqlite3

NUMBERS = [0, -1, 1, 7, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), -(2**31)]
TEXTS = ["", "x", "step 3", "aten::mm, seq = 1", "MmBackward0, seq = 1", "{'mod': ['x'], 'op': 'mm', 'args': []}", "{" * 300,
         "a/" * 400,
         "\x1b[31mred", "nul\0byte", "\u202egnp", "é" * 50, "=1+1", "--", "<script>alert(1)</script>", "it:8", "\ud7ff",
         "18446744073709551616"]
OTHERS = [None, 1.5, -0.0, 1e300, float("inf"), float("-inf"), b"", b"\x00\xff", b"\xff" * 100]
# What one cell, or all cells of a column, are set to.
EXTREMES = [None, "text", 1.5, -1, 2**63 - 1, -(2**63), 9.3e18]
# Which rows: SQL conditions.
WHICH = ["rowid = {n}", "rowid % {k} = 0", "rowid < {n}", "1", "rowid % 2 = {n} % 2"]


def damage(path, random):
    """Damages a database by one to five deeds; says which."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    deeds = []
    try:
        if random.random() < 0.6:
            without_constraints(database)
            database.close()
            database = sqlite3.connect(path, isolation_level=None)
        tables = [name for (name,) in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
        # A real capture may have no table at all.
        for _ in range(random.choice([1, 1, 2, 3, 5]) if tables else 0):
            deed = random.choices([cells, cells_of_one_column, one_cell, whole_column, rows, columns, names, objects],
                                  [6, 6, 4, 2, 3, 2, 2, 2])[0]
            try:
                deeds.append(deed(database, random, random.choice(tables)))
            except (sqlite3.Error, OverflowError, UnicodeEncodeError, IndexError) as error:
                deeds.append(f"refused: {error}")
    except sqlite3.Error as error:
        deeds.append(f"refused: {error}")
    finally:
        database.close()
    return "; ".join(deeds)


def without_constraints(database):
    """Takes NOT NULL from all columns, so that cells can be emptied."""
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")


def columns_of(database, table):
    return [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]


def any_value(random):
    draw = random.random()
    if draw < 0.5:
        return random.choice(NUMBERS)
    if draw < 0.6:
        return random.randint(-(2**63), 2**63 - 1)
    if draw < 0.8:
        return random.choice(TEXTS)
    if draw < 0.82:
        return random.choice(["a", "a/", "é", "{'"]) * random.choice([1000, 70_000, 3_000_000])
    return random.choice(OTHERS)


def some_rows(random):
    return random.choice(WHICH).format(n=random.randrange(1, 400), k=random.choice([2, 3, 7, 50]))


def cells(database, random, table):
    """Sets one column of some rows to one value."""
    column, value, which = random.choice(columns_of(database, table)), any_value(random), some_rows(random)
    database.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE {which}', (value,))
    return f"{table}.{column} = {str(value)[:40]!r} where {which}"


def cells_of_one_column(database, random, table):
    """Changes one column of some rows by an expression."""
    names = columns_of(database, table)
    column, other = random.choice(names), random.choice(names)
    expression = random.choice([
        f'"{other}"', f'-"{column}"', f'"{column}" + 1', f'"{column}" * 1000', f'"{column}" - 1000000000000000',
        f'"{column}" + 4000000000000000000', f'CAST("{column}" AS TEXT)', f'CAST("{column}" AS BLOB)', f'"{column}" + 0.5',
        f'"{column}" % 2', "rowid", "random()", "-rowid", f'"{column}" || "{other}"', "NULL", "rowid << 24", "rowid << 56",
    ])
    which = some_rows(random)
    database.execute(f'UPDATE "{table}" SET "{column}" = {expression} WHERE {which}')
    return f"{table}.{column} = {expression} where {which}"


def one_cell(database, random, table):
    """Sets one cell, in the middle of the table or at its end, to an extreme."""
    column, value = random.choice(columns_of(database, table)), random.choice(EXTREMES)
    row = random.choice(["max(rowid)", "(min(rowid) + max(rowid)) / 2"])
    database.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = (SELECT {row} FROM "{table}")', (value,))
    return f"{table}.{column} = {value!r} where rowid = {row}"


def whole_column(database, random, table):
    """Sets all cells of a column to one extreme."""
    column, value = random.choice(columns_of(database, table)), random.choice(EXTREMES)
    database.execute(f'UPDATE "{table}" SET "{column}" = ?', (value,))
    return f"{table}.{column} = {value!r} everywhere"


def rows(database, random, table):
    """Removes, repeats or reverses rows."""
    which = some_rows(random)
    deed = random.choice([
        f'DELETE FROM "{table}" WHERE {which}',
        f'INSERT OR IGNORE INTO "{table}" SELECT * FROM "{table}" WHERE {which}',
        f'CREATE TEMP TABLE turned AS SELECT * FROM "{table}" ORDER BY rowid DESC; DELETE FROM "{table}"; '
        f'INSERT INTO "{table}" SELECT * FROM turned; DROP TABLE turned',
        f'UPDATE "{table}" SET rowid = -rowid WHERE {which}',
        f'UPDATE "{table}" SET rowid = 9223372036854775807 WHERE rowid = (SELECT max(rowid) FROM "{table}")',
    ])
    database.executescript(deed)
    return deed


def columns(database, random, table):
    """Removes, renames or adds a column."""
    column = random.choice(columns_of(database, table))
    deed = random.choice([
        f'ALTER TABLE "{table}" DROP COLUMN "{column}"',
        f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "{column.upper()}"',
        f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "other"',
        f'ALTER TABLE "{table}" ADD COLUMN "a ""b"" \' %" TEXT DEFAULT \'x\'',
        f'ALTER TABLE "{table}" ADD COLUMN computed AS (abs(random()) % 7) VIRTUAL',
        f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO was; '
        f'ALTER TABLE "{table}" ADD COLUMN "{column}" INTEGER AS (was) VIRTUAL',
    ])
    database.executescript(deed)
    return deed


def names(database, random, table):
    """Removes, renames or exchanges tables."""
    other = random.choice(["StringIds", "NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL"])
    deed = random.choice([
        f'DROP TABLE "{table}"',
        f'DELETE FROM "{table}"',
        f'ALTER TABLE "{table}" RENAME TO "{table}_old"',
        f'ALTER TABLE "{table}" RENAME TO swapped; ALTER TABLE "{other}" RENAME TO "{table}"; '
        f'ALTER TABLE swapped RENAME TO "{other}"',
    ])
    database.executescript(deed)
    return deed


def objects(database, random, table):
    """Puts views, indices, triggers and other kinds of tables where plain tables are."""
    column = random.choice(columns_of(database, table))
    aside = f'ALTER TABLE "{table}" RENAME TO aside; '
    deed = random.choice([
        aside + f'CREATE VIEW "{table}" AS SELECT * FROM aside',
        aside + f'CREATE VIEW "{table}" AS SELECT * FROM aside, (SELECT value FROM json_each(\'[1,2,3]\'))',
        aside + f'CREATE VIEW "{table}" AS SELECT * FROM "{table}_missing"',
        aside + f'CREATE TABLE "{table}" AS SELECT * FROM aside; DROP TABLE aside',
        f'CREATE INDEX "index of {table}" ON "{table}" ("{column}")',
        f'CREATE INDEX "expression of {table}" ON "{table}" (length("{column}")) WHERE "{column}" IS NOT NULL',
        f'CREATE TRIGGER "after {table}" AFTER UPDATE ON "{table}" BEGIN DELETE FROM "{table}"; END',
        f'CREATE TABLE "sqlite stat" AS SELECT * FROM "{table}"',
        "PRAGMA page_size = 1024; VACUUM",
        "PRAGMA auto_vacuum = INCREMENTAL; VACUUM",
        "PRAGMA user_version = -1; PRAGMA application_id = 12345",
        "ANALYZE",
    ])
    database.executescript(deed)
    return deed
