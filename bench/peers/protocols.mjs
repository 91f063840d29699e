import { gunzipSync } from 'node:zlib'

/** What a service says when it has taken events; without a path of its own, what waymark's says. */
const answers = [
  [/^\/(e|i|batch)\//, { status: 'Ok' }],
  [/^\/track\//, { status: 1, error: null }],
  [/^\/2\/httpapi/, { code: 200, events_ingested: 1, payload_size_bytes: 1, server_upload_time: 1 }],
  [/^\/v1\//, { success: true }],
  [/^\/com\.snowplowanalytics/, 'ok'],
  [/^\/api\/s\//, { ok: true, destinations: [] }],
  [/^\/api\/event/, 'ok'],
  [/^\/w\//, { ok: true, task_id: 'sink', error_code: null }],
]

/** @param {string} path @returns {{ status: number, body: string }} */
export function answerTo(path) {
  const [, answer = {}] = answers.find(([pattern]) => pattern.test(path)) ?? []
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return { status: path.startsWith('/api/event') ? 202 : 200, body }
}

const parse = (/** @type {string} */ text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON as it is, gzipped, or in the form field `data`, there in base64 as well. */
function decode(/** @type {Buffer} */ body) {
  const text = (body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body).toString()
  const data = new URLSearchParams(text).get('data')
  return parse(text) ?? parse(data ?? '') ?? parse(Buffer.from(data ?? '', 'base64').toString())
}

/** By which name each library calls the id that its service knows second copies by. */
const idNames = ['uuid', '$insert_id', 'insert_id', 'messageId', 'eid']

/**
 * Events of the bench in a body, whoever sent it: what carries `ledger_id`, with the nearest id around it.
 * @param {Buffer} body
 * @returns {{ id: string, messageId: string | undefined }[]}
 */
export function readEvents(body) {
  const found = []
  const walk = (/** @type {any} */ value, /** @type {string | undefined} */ outer) => {
    if (typeof value !== 'object' || value === null) return
    const messageId = idNames.map((name) => value[name]).find((id) => typeof id === 'string') ?? outer
    if (typeof value.ledger_id === 'string') found.push({ id: value.ledger_id, messageId })
    // snowplow's events hold theirs as text; so do other libraries' batches.
    for (const inner of Object.values(value))
      walk(typeof inner === 'string' && /^[{[]/.test(inner) ? parse(inner) : inner, messageId)
  }
  walk(decode(body), undefined)
  return found
}
