import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { runnerImport } from 'vite'
import { perBatch, variedBody } from './eventBody.mjs'
import { sendLoad } from './sendLoad.mjs'
import { cpuOf, startService } from './startProcess.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const forMs = Number(process.env.BENCH_MS ?? 3000)
const warmUpMs = 1500

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const percent = (share) => `${(100 * share).toFixed(0)} %`
const k = (value) => `${(value / 1000).toFixed(1)} k`

/** Made beforehand; without an engine nobody knows a copy. */
const bodies = Array.from({ length: 500 }, variedBody)
const bodyOf = (n) => bodies[n % bodies.length]

/** Processor time so far, in milliseconds: of the service and of each server. */
const spent = (service, cluster) =>
  [service.pid, ...cluster.nodes.map((node) => node.pid)].map((pid) => {
    const { mainMs, othersMs } = cpuOf(pid)
    return mainMs + othersMs
  })

/** One ingest process under full load, without an engine beside it. */
const accept = async (cluster, { flags, connections }) => {
  const service = await startService(['--role', 'ingest', ...flags])
  const to = { url: `${service.url}/track?apiKey=key`, connections, bodies: bodyOf }
  await sendLoad({ ...to, forMs: warmUpMs })
  const before = spent(service, cluster)
  const load = await sendLoad({ ...to, forMs })
  const cpuUs = spent(service, cluster).map((ms, at) =>
    Math.round((1000 * (ms - before[at])) / load.accepted),
  )
  await service.stop()
  if (Object.keys(load.refused).length > 0) throw new Error(`Refused: ${JSON.stringify(load.refused)}`)
  return { ...load, cpuUs }
}

/** Both logs in turn, so that what disturbs the machine meanwhile disturbs both. */
const compare = async (cluster, connections) => {
  const all = []
  for (let round = 0; round < rounds; round++)
    all.push({
      local: await accept(cluster, { flags: [], connections }),
      shared: await accept(cluster, { flags: ['--log', cluster.url], connections }),
    })
  const share = median(all.map(({ local, shared }) => shared.perSecond / local.perSecond))
  const show = (name) => {
    const medianOf = (read) => median(all.map((each) => read(each[name])))
    const [rate, p50, p99] = ['perSecond', 'p50', 'p99'].map((of) => medianOf((load) => load[of]))
    const cpu = [0, 1, 2, 3].map((at) => medianOf(({ cpuUs }) => cpuUs[at]))
    return `${k(rate * perBatch)} events/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; processor time a request: service ${cpu[0]} µs, servers ${cpu.slice(1).join(', ')} µs`
  }
  return [
    `cluster, ${connections} connections: accepted events a second, of the local log's`,
    '≥ 60 %',
    `${percent(share)}, median of ${rounds} interleaved segments of ${forMs / 1000} s; primary, two standbys and generator on the same processors
         PostgreSQL: ${show('shared')}
         local log: ${show('local')}`,
    share >= 0.6,
  ]
}

const stall = async (cluster) => {
  const service = await startService(['--role', 'ingest', '--log', cluster.url])
  const to = { url: `${service.url}/track?apiKey=key`, connections: 16, bodies: bodyOf }
  await sendLoad({ ...to, forMs: warmUpMs })
  const loading = sendLoad({ ...to, forMs: 8000 })
  await delay(3000)
  const [standby] = cluster.standbys
  standby.pause()
  await delay(2000)
  standby.resume()
  const load = await loading
  await service.stop()
  await cluster.whenStreaming(2)
  return [
    'cluster: p99 of the acknowledgement while one of two standbys is stalled for 2 of 8 s',
    '≤ 10 × p50, nothing refused',
    `${(load.p99 / load.p50).toFixed(1)} × (p50 ${load.p50.toFixed(1)} ms, p99 ${load.p99.toFixed(1)} ms), refused ${JSON.stringify(load.refused)}`,
    load.p99 <= 10 * load.p50 && Object.keys(load.refused).length === 0,
  ]
}

const rowsPerSecond = Number(process.env.BENCH_RATE ?? 5000)
const awayMs = 20_000
/** On a machine where it never catches up it is measured for so long. */
const catchUpMs = 60_000

/** Sends at a fixed rate until it is told to stop. */
const sendSteadily = (url) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const headers = { 'content-type': 'application/json' }
  const began = performance.now()
  let [isStopped, sent, refused] = [false, 0, 0]
  const post = (body) =>
    new Promise((resolve, reject) => {
      const call = request(url, { method: 'POST', agent, headers }, (answer) => {
        if (answer.statusCode !== 200) refused++
        answer.resume().on('end', resolve)
      })
      call.on('error', reject)
      call.end(body)
    })
  const sending = (async () => {
    const open = new Set()
    while (!isStopped) {
      const due = ((performance.now() - began) / 1000) * (rowsPerSecond / perBatch)
      for (; sent < due; sent++) {
        const call = post(variedBody()).then(() => open.delete(call))
        open.add(call)
      }
      await delay(10)
    }
    await Promise.all(open)
  })()
  return {
    async stop() {
      isStopped = true
      await sending
      agent.destroy()
      return { rate: (sent * perBatch) / ((performance.now() - began) / 1000), refused }
    },
  }
}

/** A query process that comes late to a log that goes on growing at a steady rate. */
const catchUp = async (cluster) => {
  const log = ['--log', cluster.url]
  const ingest = await startService(['--role', 'ingest', ...log])
  const sender = sendSteadily(`${ingest.url}/track?apiKey=key`)
  await delay(awayMs)
  const query = await startService(['--role', 'engine', ...log])
  const look = async () => {
    const [{ last, applied }] = await cluster.primary.query(
      'SELECT last::float8, coalesce((SELECT max(applied) FROM waymark.readers), 0)::float8 AS applied FROM waymark.head',
    )
    return { last, applied, atMs: performance.now() }
  }
  const until = async (isEnough) => {
    let found = await look()
    const endMs = found.atMs + catchUpMs
    while (!isEnough(found) && found.atMs < endMs) {
      await delay(50)
      found = await look()
    }
    return found
  }
  const engineMs = () => spent(query, { nodes: [] })[0]
  const first = { ...(await until(({ applied }) => applied > 0)), cpuMs: engineMs() }
  const end = { ...(await until(({ last, applied }) => last - applied < rowsPerSecond)), cpuMs: engineMs() }
  const { rate, refused } = await sender.stop()
  const { bytes, last } = await cluster.primary.one(
    `SELECT pg_total_relation_size('waymark.log')::float8 AS bytes, last::float8 FROM waymark.head`,
  )
  await query.stop()
  await ingest.stop()
  const rows = end.applied - first.applied
  const caught = rows / ((end.atMs - first.atMs) / 1000)
  const cpuUs = (1000 * (end.cpuMs - first.cpuMs)) / rows
  return [
    `cluster: a query process that comes ${awayMs / 1000} s late catches up, of the rate at which events go on to come`,
    '≥ 5 ×, nothing refused',
    `${(caught / rate).toFixed(1)} × (${k(caught)} of ${k(rate)} events/s), ${cpuUs.toFixed(1)} µs of processor time an event, ${refused} requests refused; an event of ${Math.round(variedBody().length / perBatch)} bytes takes ${Math.round(bytes / last)} in the log`,
    caught >= 5 * rate && refused === 0,
  ]
}

/** The log in PostgreSQL with a quorum of one of two standbys, against the local log. */
export const benchCluster = async () => {
  const { module } = await runnerImport('server/test/cluster/startCluster.ts')
  const cluster = await module.startCluster()
  try {
    return [
      await catchUp(cluster),
      await compare(cluster, 16),
      await compare(cluster, 64),
      await stall(cluster),
    ]
  } finally {
    await cluster.close()
  }
}
