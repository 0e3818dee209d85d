// Rows of a table as objects.

/** The rows of a table, by the keys of its columns; none if the source lacks the table. */
export async function objects(source, key) {
  const known = source.tables().find((table) => table.key === key);
  if (!known) return [];
  const { rows } = await source.rows(key);
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [known.columns[at].key, cell])));
}
