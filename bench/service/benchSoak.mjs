import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { perBatch } from './eventBody.mjs'
import { mixedRequest } from './mixedRequest.mjs'
import { basic, memoryByProcess, query, startService } from './startProcess.mjs'

const forMs = Number(process.env.BENCH_MS ?? 600_000)
const rowsPerSecond = 2000
const samples = 10
/** Small, so that DuckDB has filled it early on. */
const memoryLimit = '256MiB'

/** What somebody at the screens asks, one after the other, a second apart. */
const questions = [
  'SELECT count(*), count(DISTINCT person_id) FROM events',
  `SELECT * FROM daily(from_time := now() - INTERVAL 30 DAY)`,
  `SELECT * FROM breakdown('Product Viewed', '$url') ORDER BY events DESC LIMIT 10`,
  'SELECT * FROM persons ORDER BY last_seen DESC LIMIT 50',
  'SELECT event, timestamp FROM events ORDER BY event_id DESC LIMIT 50',
]

const post = (url, agent, body) =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const headers = { 'content-type': 'application/json' }
    const call = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve({ isTaken: answer.statusCode === 200, ms: performance.now() - began }))
    })
    call.on('error', reject)
    call.end(body)
  })

const at = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

const mebibytes = { bytes: 2 ** -20, KiB: 2 ** -10, MiB: 1, GiB: 2 ** 10 }

/** What DuckDB says it holds: its cache of the files grows with them, up to `--memory-limit`. */
const duckdbMiB = async (url) => {
  const [[text]] = await query(url, 'SELECT any_value(memory_usage) FROM pragma_database_size()')
  const [number, unit] = text.split(' ')
  return Math.round(Number(number) * mebibytes[unit])
}

/** What the service is at one tenth of the time: its memory, and how long it took since the tenth before. */
const describe = ({ startedMs, memory, acks, asks }) =>
  `${String(Math.round((performance.now() - startedMs) / 1000)).padStart(4)} s: own memory ingest ${memory.ingest}, engine ${memory.engine} MiB ` +
  `(${memory.duckdb} of it DuckDB's), ` +
  `acknowledged p50 ${at(acks, 0.5).toFixed(1)} p99 ${at(acks, 0.99).toFixed(1)} ms, asked p50 ${at(asks, 0.5).toFixed(0)} p99 ${at(asks, 0.99).toFixed(0)} ms`

/** A steady load of events and identities while somebody asks: memory and latencies must not grow. */
export const benchSoak = async () => {
  const service = await startService(['--memory-limit', memoryLimit])
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const startedMs = performance.now()
  const endMs = startedMs + forMs
  let [acks, asks, sent, refused] = [[], [], 0, 0]

  const asking = (async () => {
    for (let n = 0; performance.now() < endMs; n++) {
      const began = performance.now()
      const headers = { authorization: basic }
      const body = JSON.stringify({ statement: questions[n % questions.length] })
      const answer = await fetch(`${service.url}/query`, { method: 'POST', headers, body })
      const text = await answer.text()
      if (!answer.ok) throw new Error(text)
      asks.push(performance.now() - began)
      await delay(1000)
    }
  })()

  const open = new Set()
  const tenths = []
  while (performance.now() < endMs) {
    const due = ((performance.now() - startedMs) / 1000) * (rowsPerSecond / perBatch)
    for (; sent < due; sent++) {
      const [path, body] = mixedRequest(sent)
      const call = post(`${service.url}${path}?apiKey=key`, agent, body).then(({ isTaken, ms }) => {
        if (isTaken) acks.push(ms)
        else refused++
        open.delete(call)
      })
      open.add(call)
    }
    if (performance.now() - startedMs > ((tenths.length + 1) * forMs) / samples) {
      const { ingest, engine } = memoryByProcess(service.pid)
      const duckdb = await duckdbMiB(service.url)
      const memory = { ingest: ingest.ownMiB, engine: engine.ownMiB, duckdb }
      tenths.push(memory)
      console.log(`         ${describe({ startedMs, memory, acks, asks })}`)
      acks = []
      asks = []
    }
    await delay(20)
  }
  await Promise.all([...open, asking])
  agent.destroy()
  const stored = async () => (await query(service.url, 'SELECT applied FROM analytics.raw.position'))[0][0]
  const expected = (sent - refused) * perBatch
  while ((await stored()) < expected && performance.now() < endMs + 60_000) await delay(100)
  const applied = await stored()
  await service.stop()

  // The first two tenths fill buffers.
  const halves = (of) => {
    const all = tenths.slice(2).map(of)
    return [all.slice(0, all.length / 2), all.slice(all.length / 2)].map((half) => Math.max(...half))
  }
  const flat = (what, [early, late]) => [
    `soak: ${what} over ${forMs / 1000} s at ${rowsPerSecond} rows/s with a question a second`,
    'second half ≤ 1.3 × first half',
    `${early} MiB and ${late} MiB at most`,
    late <= 1.3 * early,
  ]
  const most = Math.max(...tenths.map(({ duckdb }) => duckdb))
  return [
    flat(
      'own memory of the ingest process',
      halves(({ ingest }) => ingest),
    ),
    flat(
      "own memory of the engine without DuckDB's",
      halves(({ engine, duckdb }) => engine - duckdb),
    ),
    ['soak: what DuckDB holds', `≤ ${memoryLimit}`, `${most} MiB at most`, most <= 256],
    [
      'soak: requests',
      'none refused, all rows stored',
      `${sent} sent, ${refused} refused, ${applied} of ${expected} rows stored`,
      refused === 0 && applied === expected,
    ],
  ]
}
