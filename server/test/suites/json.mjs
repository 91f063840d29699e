// What JSONTestSuite checks: which texts are JSON (RFC 8259), which are not, and which a reader may take or refuse. Each
// is sent to every door that reads JSON: all must agree, and what was taken is read back as it was.
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'

const nest = (/** @type {number} */ n) => '['.repeat(n) + ']'.repeat(n)
/** Each line of the file has a kind and a text as a JSON string; where the bytes are no UTF-8, in Latin-1. */
const all = [
  ...readFileSync(new URL('./json/cases.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, kind = '', text = ''] = /^(\w+) (.*)$/.exec(line) ?? []
      const isBytes = kind === 'bytes'
      return {
        kind: isBytes ? 'bad' : kind,
        text: Buffer.from(JSON.parse(text), isBytes ? 'latin1' : 'utf8'),
      }
    }),
  { kind: 'good', text: Buffer.from(nest(60)) },
  ...[nest(90), nest(500)].map((text) => ({ kind: 'either', text: Buffer.from(text) })),
  ...['['.repeat(5000), '[{"":'.repeat(5000)].map((text) => ({ kind: 'bad', text: Buffer.from(text) })),
]

/** @param {number} id */
function nameOf(id) {
  const text = all[id]?.text.toString() ?? ''
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text)
}

/** The doors of events keep U+FFFD for half of a character in a text, and all others refuse it. */
const isTaken = (/** @type {string} */ kind, /** @type {string} */ door) =>
  kind === 'good' || (kind === 'half' && door === 'track')
const whole = (/** @type {string} */ json) =>
  JSON.stringify(JSON.parse(json)).replaceAll(/\\ud[89a-f]../g, '\ufffd')

/** Zero has no sign here. @param {string} json */
const read = (json) => JSON.parse(json, (_, value) => (value === 0 ? 0 : value))

/** Whether a door took a body, or what else it said. @param {string} text of the answer */
function readVerdict(text) {
  const { ok, error, error_code: code, message, query_id: query } = JSON.parse(text.split('\n')[0] ?? '')
  return ok === true || query ? 'taken' : `${error ?? code}: ${message}`
}

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export async function run({ ask, post }) {
  const target = 'catalog=lakehouse&schema=main&table=json_values'
  await ask('CREATE TABLE json_values (door VARCHAR, id INTEGER, v JSON)')
  const record = (/** @type {string} */ door, /** @type {number} */ id) =>
    `{"door": "${door}", "id": ${id}, "v": `
  /** @type {Record<string, (id: number) => [string, string, string]>} the address, and what stands around the text */
  const doors = {
    append: (id) => [`/append?${target}`, record('append', id), '}'],
    upload: (id) => [`/upload?${target}&mode=append&format=json`, record('upload', id), '}'],
    track: (id) => [
      '/track',
      `{"event": "json", "environment": "production", "distinct_id": "j", "properties": ${record('track', id)}`,
      '}}',
    ],
    query: () => ['/query', '{"statement": "SELECT 1", "v": ', '}'],
  }
  /** @type {Map<string, string>} */
  const cases = new Map()
  /** @type {Map<string, string[]>} of a text that may be either: the doors that took it */
  const tookIt = new Map()
  await Promise.all(
    Object.entries(doors).map(async ([door, wrap]) => {
      for (const [id, { kind, text }] of all.entries()) {
        // A file costs a process of its own: what must be taken comes together below, and a quarter of the rest is sent.
        if (door === 'upload' && (kind === 'good' || (kind === 'bad' && id % 4 > 0))) continue
        const [path, before, after] = wrap(id)
        const { text: answer } = await post(
          path,
          Buffer.concat([Buffer.from(before), text, Buffer.from(after)]),
        )
        const verdict = readVerdict(answer)
        if (kind !== 'either')
          cases.set(`${door}: ${nameOf(id)}`, (verdict === 'taken') === isTaken(kind, door) ? '' : verdict)
        else if (door !== 'query' && verdict === 'taken')
          tookIt.set(nameOf(id), [...(tookIt.get(nameOf(id)) ?? []), door])
      }
    }),
  )
  for (const [name, took] of tookIt)
    cases.set(`all doors: ${name}`, took.length === 3 ? '' : `taken by ${took.join()} alone`)
  const lines = all.map(({ text }, id) =>
    `${record('upload', id)}${text.toString()}}`.replaceAll(/[\n\r]/g, ' '),
  )
  const file = lines.filter((_, id) => all[id]?.kind === 'good').join('\n')
  const { text: uploaded } = await post(`/upload?${target}&mode=append&format=json`, file)
  cases.set('upload: all that is good', readVerdict(uploaded) === 'taken' ? '' : uploaded)
  await post(`/append?${target}&sync=true`, '{"door": "last"}')
  await post('/track?sync=true', '{"event": "last", "environment": "production", "distinct_id": "j"}')
  const stored = `SELECT door, id, v::VARCHAR FROM json_values WHERE id IS NOT NULL UNION ALL
    SELECT prop(properties, 'door'), prop(properties, 'id')::INTEGER, (properties->'v')::VARCHAR FROM events WHERE event = 'json'`
  const answer = await ask(stored)
  if ('error' in answer) throw new Error(answer.error)
  const found = new Map(
    answer.rows.map(([door, id, v]) => [`${String(door)}: ${nameOf(Number(id))}`, String(v)]),
  )
  for (const [id, { kind, text }] of all.entries())
    for (const door of ['append', 'upload', 'track']) {
      const name = `${door}: ${nameOf(id)}`
      const isWanted = isTaken(kind, door) || tookIt.get(nameOf(id))?.includes(door)
      if (!isWanted && !found.has(name)) continue
      const written = found.get(name)
      const sent = kind === 'half' ? whole(text.toString()) : text.toString()
      const isSame = isWanted && written !== undefined && isDeepStrictEqual(read(written), read(sent))
      cases.set(`${name} comes back`, isSame ? '' : `as ${written}`)
    }
  return cases
}
