import { setTimeout as delay } from 'node:timers/promises'
import { eventBody as body, perBatch } from './eventBody.mjs'
import { sendLoad } from './sendLoad.mjs'
import { cpuOf, memoryOf, query, startBare, startFloor, startService } from './startProcess.mjs'

/** Until both processes of the service are compiled, and its log has files that it uses again. */
const warmUpMs = 6000
/** The main.js of other builds, to be measured in the same run, separated by commas. */
const otherBuilds = (process.env.BENCH_AGAINST ?? '').split(',').filter(Boolean)

/** Rows stored so far; they are stored in the order in which they were accepted. */
const storedRows = async (service) =>
  (await query(service.url, 'SELECT applied FROM analytics.raw.position'))[0][0]

const drain = async (service, rows) => {
  const began = performance.now()
  while ((await storedRows(service)) < rows && performance.now() - began < 120_000) await delay(50)
  return (performance.now() - began) / 1000
}

/** Processor time a request, in microseconds. */
const spending = async (pid, load) => {
  const before = cpuOf(pid)
  const result = await load()
  const after = cpuOf(pid)
  const each = (ms) => Math.round((1000 * ms) / result.accepted)
  return {
    ...result,
    mainUs: each(after.mainMs - before.mainMs),
    othersUs: each(after.othersMs - before.othersMs),
    generatorUs: each(result.cpuMs),
  }
}

/** A server that lives for all segments; each batch that it is sent is another one. */
class Contestant {
  #sent = 0
  accepted = 0

  constructor(server, isService) {
    this.server = server
    this.isService = isService
  }

  static async start(connections, start, isService = false) {
    const contestant = new Contestant(await start(), isService)
    await contestant.segment(connections, warmUpMs)
    return contestant
  }

  async segment(connections, forMs) {
    const { url, pid } = this.server
    const to = { url: `${url}/track?apiKey=key`, bodies: () => body(this.#sent++), connections, forMs }
    const load = await spending(pid, () => sendLoad(to))
    if (!this.isService) return load
    const storedBefore = this.accepted * perBatch
    this.accepted += load.accepted
    const all = this.accepted * perBatch
    const stored = await storedRows(this.server)
    return {
      ...load,
      stored: stored - storedBefore,
      left: all - stored,
      drainS: await drain(this.server, all),
    }
  }
}

const startAll = async (connections) => {
  const others = {}
  // The segments end before storing has caught up, so what is stored late is not refused.
  const flags = ['--max-lag', '600']
  for (const main of otherBuilds)
    others[main] = await Contestant.start(connections, () => startService(flags, main), true)
  return {
    control: await Contestant.start(connections, startBare),
    floor: await Contestant.start(connections, startFloor),
    ours: await Contestant.start(connections, () => startService(flags), true),
    ...others,
  }
}

const percent = (share) => `${(100 * share).toFixed(0)} %`
const k = (value) => `${(value / 1000).toFixed(0)} k`

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

const measure = async ({ connections, target, rounds, forMs }) => {
  const contestants = await startAll(connections)
  const all = []
  for (let at = 0; at < rounds; at++) {
    // One segment of each, so that what disturbs the machine meanwhile disturbs all of them.
    const round = {}
    for (const [name, each] of Object.entries(contestants))
      round[name] = await each.segment(connections, forMs)
    all.push(round)
  }
  const service = contestants.ours.server
  const expected = contestants.ours.accepted * perBatch
  const [[found]] = await query(service.url, 'SELECT count(DISTINCT insert_id) FROM events')
  const memory = memoryOf(service.pid)
  for (const { server } of Object.values(contestants)) await server.stop()

  const shareIn = (name) => (each) => each[name].perSecond / each.control.perSecond
  const shareOf = (name) => median(all.map(shareIn(name)))
  const share = shareOf('ours')
  const { control, ours } = all.toSorted((a, b) => shareIn('ours')(a) - shareIn('ours')(b))[all.length >> 1]
  const medianOf = (name, read) => median(all.map((each) => read(each[name])))
  const others = otherBuilds.map(
    (name) =>
      `\n         ${name}: ${percent(shareOf(name))}, ${medianOf(name, ({ mainUs }) => mainUs)} and ${medianOf(name, ({ othersUs }) => othersUs)} µs a request, stored ${k(medianOf(name, (each) => each.stored / each.seconds))} rows/s meanwhile`,
  )
  const rates = all.map((each) => `${each.ours.perSecond.toFixed(0)} of ${each.control.perSecond.toFixed(0)}`)
  return [
    [
      `track, ${connections} connections: requests a second of the bare handler`,
      `≥ ${percent(target)}`,
      `${percent(share)}, median of ${rounds} interleaved segments of ${forMs / 1000} s (${rates.join(', ')})
         parsing and the durable write alone: ${percent(shareOf('floor'))}
         CPU a request: bare ${control.mainUs + control.othersUs} µs, here ${ours.mainUs} in the main thread and ${ours.othersUs} in others, generator ${control.generatorUs} and ${ours.generatorUs}${others.join('')}`,
      share >= target,
    ],
    [
      `track, ${connections} connections: p99 of the acknowledgement`,
      '≤ 10 × p50',
      `${(ours.p99 / ours.p50).toFixed(1)} × (p50 ${ours.p50.toFixed(1)} ms, p99 ${ours.p99.toFixed(1)} ms; bare ${control.p50.toFixed(1)} and ${control.p99.toFixed(1)})`,
      ours.p99 <= 10 * ours.p50,
    ],
    [
      `track, ${connections} connections: bursts of ${forMs / 1000} s and their drains`,
      'all stored',
      `accepted ${k(ours.perSecond * perBatch)} rows/s, stored ${k(ours.stored / ours.seconds)} rows/s meanwhile, ${k(ours.left)} left, drained ${ours.drainS.toFixed(1)} s later (${k(ours.left / ours.drainS)} rows/s); in all ${found} of ${expected} there, refused ${JSON.stringify(ours.refused)}; RSS ${memory.peakMiB} MiB at most, ${memory.ownMiB} without mapped files`,
      found === expected,
    ],
  ]
}

/** More than the drain takes, against a small bound, from clients that do not wait when refused. */
const measureOverload = async ({ connections = 64, forMs = 36_000, maxBacklog = 100_000 } = {}) => {
  // What DuckDB caches is not what waits, so its cache is kept small.
  const service = await startService(['--max-backlog', String(maxBacklog), '--memory-limit', '256MiB'])
  const to = { url: `${service.url}/track?apiKey=key`, connections }
  // DuckDB holds what it has not yet put into its file, and lets go of it every few seconds.
  const own = []
  const sampling = setInterval(() => own.push(memoryOf(service.pid).ownMiB), 250)
  const load = await sendLoad({ ...to, bodies: body, forMs })
  clearInterval(sampling)
  const [early, late] = [own.slice(0, own.length / 2), own.slice(own.length / 2)].map((half) =>
    Math.max(...half),
  )
  const expected = load.accepted * perBatch
  const stored = await storedRows(service)
  const drainS = await drain(service, expected)
  const counted = 'SELECT count(*), count(DISTINCT insert_id) FROM events'
  const [[rows, distinct]] = await query(service.url, counted)
  await service.stop()
  const kinds = Object.keys(load.refused)
  return [
    [
      `track, overload: what a bound of ${maxBacklog} rows refuses`,
      'only 503 with Retry-After, RSS flat (≤ 1.3 ×), all accepted rows there',
      `accepted ${load.perSecond.toFixed(0)} requests/s, refused ${JSON.stringify(load.refused)}; own memory at most ${early} MiB in the first half of ${forMs / 1000} s, ${late} in the second; ${k(expected - stored)} rows left, drained ${drainS.toFixed(1)} s later; ${rows} rows, ${distinct} distinct of ${expected}`,
      kinds.join() === '503 with Retry-After' &&
        late <= 1.3 * early &&
        rows === expected &&
        distinct === expected,
    ],
  ]
}

/** BENCH_ROUNDS, BENCH_MS and BENCH_CONNECTIONS make a shorter run; only a whole one ends with the overload. */
export const benchTrack = async () => {
  const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
  const forMs = Number(process.env.BENCH_MS ?? 5000)
  const only = process.env.BENCH_CONNECTIONS
  const lines = []
  for (const [connections, target] of [
    [16, 0.5],
    [64, 0.7],
  ]) {
    if (only === undefined || only === String(connections))
      lines.push(...(await measure({ connections, target, rounds, forMs })))
  }
  return only === undefined ? [...lines, ...(await measureOverload())] : lines
}
