// Conditions of testdata/conditions.json as the pages evaluate them, and in the words in which they ask the server.
//
//   node conditions.mjs FOLDER_OF_MODULES CONDITIONS.json

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, listFile] = process.argv.slice(2);
const module = (name) => import(pathToFileURL(join(folder, name)));
const { chooseRows } = await module("rows.js");
const { conditionText } = await module("source-http.js");
const { conditionsOf } = await module("table-filters.js");
const { columns, rows, cases, fields } = JSON.parse(readFileSync(listFile, "utf8"));
const table = { rows: rows.length, columns: columns.map((_, at) => rows.map((row) => row[at])) };
const columnOf = (key) => columns.find((column) => column.key === key);
const differences = [];

function check(conditions, { where, rows: wanted }) {
  const found = chooseRows(table, { columns }, { where: conditions });
  if (JSON.stringify(found) !== JSON.stringify(wanted)) differences.push(`${where}: rows ${found}, not ${wanted}`);
  const texts = conditions.map((condition) => conditionText(condition, (column) => columnOf(column).kind));
  const said = texts.join(" and ");
  if (said !== where) differences.push(`${JSON.stringify(conditions)} asks the server for ${said}, not for ${where}`);
}

for (const one of cases) check([one.condition], one);
for (const one of fields) {
  const conditions = conditionsOf(columnOf(one.column), one.typed, one.shown ?? { scale: 1, unit: "ns" });
  if (conditions) check(conditions, one);
  else differences.push(`${one.typed} means nothing in the field of ${one.column}, not ${one.where}`);
}
console.log(differences.length ? differences.join("\n") : `${cases.length + fields.length} conditions agree`);
process.exitCode = differences.length ? 1 : 0;
