// An SDK of another program sends its calls to the service: through a network that first refuses, then loses an answer.
//   node senders.mjs NAME
import { deepStrictEqual } from 'node:assert'
import { createServer } from 'node:http'
import { sdks } from './sdks.mjs'

// Some throw what a wrong key gets where nobody can catch it.
process.on('unhandledRejection', () => undefined)
const name = process.argv[2] ?? ''
const { WAYMARK_URL: service = '' } = process.env
const authorization = `Basic ${Buffer.from('ada:lovelace').toString('base64')}`
const sdk = sdks[name]

/** @param {string} statement */
async function query(statement) {
  const response = await fetch(new URL('/query', service), {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify({ statement }),
  })
  const lines = (await response.text()).split('\n').filter(Boolean).slice(2)
  return lines.map((line) => JSON.parse(line))
}

/** The events of somebody, and how often each came, once as many are stored. @param {string} who @param {number} wanted */
async function eventsOf(who, wanted) {
  for (let tries = 0; ; tries++) {
    const rows = await query(
      `SELECT event, count(*) FROM events WHERE coalesce(distinct_id, anonymous_id) = '${who}' OR properties->>'who' = '${who}' GROUP BY 1 ORDER BY 1`,
    )
    if (rows.length >= wanted || tries === 300) return rows
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** @param {string} what @param {() => Promise<unknown>} work @param {unknown} wanted */
async function check(what, work, wanted) {
  try {
    deepStrictEqual(await work(), wanted)
    console.log(`+ ${what}`)
  } catch (error) {
    console.log(`- ${what}: ${String(error.message).replaceAll(/\s+/g, ' ').slice(0, 400)}`)
  }
}

const ofConnection = new Set(['host', 'connection', 'content-length', 'transfer-encoding'])

/** Passes requests on; the first is refused, and of the second, which the service takes, the answer is lost. */
const outage = createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  const place = ++seen
  if (place === 1) return response.writeHead(503).end()
  const headers = Object.entries(request.headers).filter(([each]) => !ofConnection.has(each))
  const answer = await fetch(service + request.url, {
    method: request.method,
    headers: Object.fromEntries(headers.map(([each, value]) => [each, String(value)])),
    ...(request.method === 'POST' && { body: Buffer.concat(parts) }),
  })
  const text = await answer.text()
  answers.push(answer.status)
  if (place === 2) return request.socket.destroy()
  response
    .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    .end(text)
})
let seen = 0
/** @type {number[]} */
const answers = []
await new Promise((resolve) => outage.listen(0, '127.0.0.1', () => resolve(undefined)))
const broken = `http://127.0.0.1:${outage.address().port}`

const once = sdk.events.map((event) => [event, 1]).toSorted(([a], [b]) => (a < b ? -1 : 1))
const key = 'pk_clients'
await check(
  'every call is understood',
  async () => {
    await sdk.send({ url: service, key, who: `${name} calls` })
    return eventsOf(`${name} calls`, once.length)
  },
  once,
)
if (sdk.traits) {
  const traits = `SELECT traits FROM persons WHERE list_contains(distinct_ids, '${name} calls')`
  await check('traits are those of the person', async () => (await query(traits))[0]?.[0], sdk.traits)
}
if (sdk.retries) {
  await check(
    'an outage loses nothing and doubles nothing',
    async () => {
      await sdk.send({ url: broken, key, who: `${name} outage` })
      const rows = await eventsOf(`${name} outage`, once.length)
      return [rows, answers.every((status) => status < 300), seen > 1]
    },
    [once, true, true],
  )
}
await check(
  'a wrong key stores nothing',
  async () => {
    await Promise.resolve(sdk.send({ url: service, key: 'wrong', who: `${name} wrong` })).catch(
      () => undefined,
    )
    return eventsOf(`${name} wrong`, 0)
  },
  [],
)
process.exit()
