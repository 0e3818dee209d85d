// Rows of a grid. Only those in sight are asked for.

/** Rows asked for at a time. */
export const BLOCK = 200;

/** Cells of a grid by row, asked for in blocks. */
export function rowStore(source, key, columns, question, arrived) {
  const blocks = new Map();
  return {
    get(row) {
      const block = Math.floor(row / BLOCK);
      const known = blocks.get(block);
      if (!known) {
        blocks.set(block, "asked");
        source.rows(key, { ...question(), from: block * BLOCK, count: BLOCK, columns }).then((answer) => {
          blocks.set(block, answer.rows);
          arrived();
        });
      }
      return Array.isArray(known) ? known[row - block * BLOCK] : undefined;
    },
    put: (block, rows) => blocks.set(block, rows),
    clear: () => blocks.clear(),
  };
}
