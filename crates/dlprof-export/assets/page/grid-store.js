// Rows of a grid. Only those in sight are asked for, and only the last ones are kept.

/** Rows asked for at a time. */
export const BLOCK = 200;
/** Blocks that are kept; those seen longest ago go first. */
const MOST_BLOCKS = 50;
/** Blocks that are asked for at once. */
const MOST_ASKED = 3;

/** Cells of a grid by row. `ask` gives the rows of a block; `arrived` and `failed` are told of its answer. */
export function rowStore(ask, { arrived, failed }) {
  const blocks = new Map();
  const asked = new Set();
  let wanted = [];
  let run = 0;

  function put(block, rows) {
    blocks.delete(block);
    blocks.set(block, rows);
    for (const oldest of blocks.keys()) {
      if (blocks.size <= MOST_BLOCKS) break;
      blocks.delete(oldest);
    }
  }

  async function fetchBlock(block, own) {
    asked.add(block);
    try {
      const { rows } = await ask(block * BLOCK, BLOCK);
      if (own !== run) return;
      put(block, rows);
      arrived();
    } catch (error) {
      if (own !== run) return;
      put(block, []);
      failed(error);
    }
    asked.delete(block);
    next();
  }

  function next() {
    while (asked.size < MOST_ASKED && wanted.length) {
      const block = wanted.shift();
      if (!blocks.has(block) && !asked.has(block)) fetchBlock(block, run);
    }
  }

  return {
    put,
    get: (row) => blocks.get(Math.floor(row / BLOCK))?.[row % BLOCK],
    /** Asks for these rows; what was wanted before and was not yet asked for is forgotten. */
    want(from, to) {
      wanted = [];
      for (let block = Math.floor(from / BLOCK); block * BLOCK < to; block++) {
        const known = blocks.get(block);
        if (known) put(block, known);
        else wanted.push(block);
      }
      next();
    },
    clear() {
      run += 1;
      blocks.clear();
      asked.clear();
      wanted = [];
    },
  };
}
