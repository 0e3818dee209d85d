// Choosing rows of a table that is held as columns: the same questions that the server answers.
//
// A condition is { column, op, value }: op is one of = != < <= > >= ~ !~ (contains), re (regular expression), is (true, false),
// in (one of a list), empty, within and !within ([from, to): what rounds to a number as it is shown), any (one of the conditions
// in `value`, whatever their columns). Empty cells hold no condition but `empty` and `!~`. Each means what `--where` means by the text that
// source-http.js makes of it: testdata/conditions.json lists cases.

export function decodeTable(block) {
  const columns = block.columns.map((column) => {
    if (Array.isArray(column)) return column;
    const { texts, at } = column;
    return at.map((place) => (place < 0 ? null : texts[place]));
  });
  return { rows: block.rows, columns };
}

function test({ op, value }) {
  const text = String(value).toLowerCase();
  const isEqual = (cell) => (typeof cell === "number" ? cell === Number(value) : String(cell) === String(value));
  const inOrder = (holds) => (cell) =>
    cell !== null && (typeof cell === "string" ? holds(cell, String(value)) : holds(cell, Number(value)));
  switch (op) {
    case "=":
      return (cell) => cell !== null && isEqual(cell);
    case "!=":
      return (cell) => cell !== null && !isEqual(cell);
    case "<":
      return inOrder((cell, limit) => cell < limit);
    case "<=":
      return inOrder((cell, limit) => cell <= limit);
    case ">":
      return inOrder((cell, limit) => cell > limit);
    case ">=":
      return inOrder((cell, limit) => cell >= limit);
    case "~":
      return (cell) => cell !== null && String(cell).toLowerCase().includes(text);
    case "!~":
      return (cell) => cell === null || !String(cell).toLowerCase().includes(text);
    case "re": {
      const pattern = asPattern(value);
      return (cell) => cell !== null && pattern.test(String(cell));
    }
    case "in":
      return (cell) => value.some((one) => one === cell || (typeof cell === "number" && Number(one) === cell));
    case "is":
      return (cell) => cell === value;
    case "empty":
      return (cell) => cell === null || cell === "";
    case "within":
      return (cell) => cell !== null && cell >= value[0] && cell < value[1];
    case "!within":
      return (cell) => cell !== null && !(cell >= value[0] && cell < value[1]);
    default:
      throw new Error(`no such condition: ${op}`);
  }
}

/** A pattern that ignores case; one that matches nothing if the text is none. */
export function asPattern(text) {
  try {
    return new RegExp(text, "i");
  } catch {
    return /^\b$/;
  }
}

function compareCells(a, b) {
  if (a === b) return 0;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : 1;
  return a - b;
}

/** Whether a row holds a condition. */
function rowTest(table, place, condition) {
  if (condition.op === "any") {
    const tests = condition.value.map((one) => rowTest(table, place, one));
    return (row) => tests.some((holds) => holds(row));
  }
  const [cells, holds] = [table.columns[place(condition.column)], test(condition)];
  return (row) => holds(cells[row]);
}

/** Places of the rows that hold all conditions, in order. Empty cells come last in either direction; ties keep the order. */
export function chooseRows(table, definition, { where = [], sort = [], search = "" }) {
  const place = (key) => definition.columns.findIndex((column) => column.key === key);
  const tests = where
    .filter(({ op, column }) => op === "any" || place(column) >= 0)
    .map((condition) => rowTest(table, place, condition));
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const texts = table.columns.filter((_, at) => definition.columns[at].kind === "text");
  const found = [];
  for (let row = 0; row < table.rows; row++) {
    if (!tests.every((holds) => holds(row))) continue;
    if (
      words.length &&
      !words.every((word) => texts.some((cells) => cells[row] !== null && cells[row].toLowerCase().includes(word)))
    )
      continue;
    found.push(row);
  }
  const keys = sort
    .filter(({ column }) => place(column) >= 0)
    .map(({ column, descending }) => [table.columns[place(column)], descending ? -1 : 1]);
  if (!keys.length) return found;
  return found.sort((a, b) => {
    for (const [cells, sign] of keys) {
      const [left, right] = [cells[a], cells[b]];
      if (left === null || right === null) {
        if (left === right) continue;
        return left === null ? 1 : -1;
      }
      const order = compareCells(left, right);
      if (order) return sign * order;
    }
    return a - b;
  });
}
