// Conditions of testdata/conditions.json as the pages evaluate them, and in the words in which they ask the server.
//
//   node conditions.mjs ROWS.mjs SOURCE_HTTP.mjs CONDITIONS.json

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [rowsFile, sourceFile, listFile] = process.argv.slice(2);
const { chooseRows } = await import(pathToFileURL(rowsFile));
const { conditionText } = await import(pathToFileURL(sourceFile));
const { columns, rows, cases } = JSON.parse(readFileSync(listFile, "utf8"));
const table = { rows: rows.length, columns: columns.map((_, at) => rows.map((row) => row[at])) };
const differences = [];
for (const { condition, where, rows: wanted } of cases) {
  const found = chooseRows(table, { columns }, { where: [condition] });
  if (JSON.stringify(found) !== JSON.stringify(wanted)) differences.push(`${where}: rows ${found}, not ${wanted}`);
  const said = conditionText(condition, columns.find((column) => column.key === condition.column).kind);
  if (said !== where) differences.push(`${JSON.stringify(condition)} asks the server for ${said}, not for ${where}`);
}
console.log(differences.length ? differences.join("\n") : `${cases.length} conditions agree`);
process.exitCode = differences.length ? 1 : 0;
