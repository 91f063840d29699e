import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, openSync, closeSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../scripts/setup/freePort.mjs'
import { eventBody, perBatch } from './eventBody.mjs'
import { attacks, mountSmallDisk, unmount } from './siege/attacks.mjs'
import { query } from './startProcess.mjs'

const program = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url))
const forMs = Number(process.env.BENCH_MS ?? 600_000)
const rowsPerSecond = 2000
const diskMiB = 3072
/** A sender that hears nothing for so long counts that as its latency, and sends again. */
const patienceMs = 30_000
const longestCatchUpMs = 300_000
const longestAttackMs = 120_000
/** Ids are counted in slices, because the memory of this service is small. */
const slices = 8
const limits = ['--memory-limit', '512MiB', '--engine-memory', '2GB', '--statement-timeout', '20']

/** The service on a disk of its own, started again after each of its ends. */
const openSiege = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-siege-'))
  const isSmallDisk = await mountSmallDisk(folder, diskMiB)
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const [port, postgresPort] = [await freePort(), await freePort()]
  const flags = ['--port', port, '--postgres-port', postgresPort, '--data', data, '--api-keys', 'key']
  const accounts = ['--users', 'a:b', '--environments', 'production,siege']
  const logFile = mkdtempSync(join(tmpdir(), 'waymark-siege-log-'))
  const log = openSync(join(logFile, 'log'), 'a')
  let child
  let hasEnded = Promise.resolve()
  const start = () => {
    child = spawn(process.execPath, [program, ...flags, ...accounts, ...limits].map(String), {
      stdio: ['ignore', 'pipe', log],
      env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
    })
    const started = child
    hasEnded = new Promise((resolve) => started.once('exit', (code, signal) => resolve(code ?? signal)))
    return Promise.race([
      new Promise((resolve) => started.stdout.once('data', () => resolve(undefined))),
      hasEnded,
    ])
  }
  return {
    folder,
    data,
    postgresPort,
    isSmallDisk,
    url: () => `http://127.0.0.1:${port}`,
    pid: () => child.pid,
    enginePid: () =>
      Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')[0]),
    ended: () => hasEnded,
    startOnce: start,
    /** Once what ended has gone: the engine's lock goes with the process. */
    async restart() {
      await hasEnded
      for (let tries = 0; (await start()) !== undefined && tries < 30; tries++) await delay(1000)
    },
    async close() {
      child.kill('SIGTERM')
      await hasEnded
      if (isSmallDisk) await unmount(folder)
      rmSync(folder, { recursive: true, force: true })
      closeSync(log)
      const lines = readFileSync(join(logFile, 'log'), 'utf8').trim().split('\n')
      rmSync(logFile, { recursive: true })
      return lines
    },
  }
}

/** One try; its status, or that nothing answered. */
const post = (url, agent, body) =>
  new Promise((resolve) => {
    const began = performance.now()
    const tell = (status) => resolve({ status, ms: performance.now() - began })
    const call = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (answer) => {
        answer
          .resume()
          .on('end', () => tell(answer.statusCode))
          .on('error', () => tell('broken'))
      },
    )
    call.setTimeout(patienceMs, () => call.destroy(new Error('silence')))
    call.on('error', (error) => tell(error.message === 'silence' ? 'silent' : 'unreachable'))
    call.end(body)
  })

/** 2,000 rows a second for as long as `isOver` says; each request is sent again until it is acknowledged. */
const sendAll = async (siege, isOver) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const tries = []
  const open = new Set()
  let [sent, acknowledged] = [0, 0]
  const deliver = async (n) => {
    const body = eventBody(n)
    for (;;) {
      const atMs = performance.now()
      const { status, ms } = await post(`${siege.url()}/track?apiKey=key`, agent, body)
      tries.push({ atMs, status, ms })
      if (status === 200) break
      await delay(500 + Math.random() * 500)
    }
    acknowledged++
  }
  const startedMs = performance.now()
  while (!isOver()) {
    const due = ((performance.now() - startedMs) / 1000) * (rowsPerSecond / perBatch)
    // What an outage held up comes at twice the pace, as from many browsers.
    for (let burst = 0; sent < due && open.size < 60 && burst < 4; burst++) {
      const call = deliver(sent++).finally(() => open.delete(call))
      open.add(call)
    }
    await delay(10)
  }
  await Promise.all(open)
  agent.destroy()
  return { tries, acknowledged }
}

const tellLog = (lines) => {
  const counts = new Map()
  for (const line of lines) {
    let key = line.slice(0, 200)
    try {
      const { level, message, reason } = JSON.parse(line)
      key = `${level}: ${message}${reason ? ` (${String(reason).slice(0, 120)})` : ''}`
    } catch {
      // A sentence of a start that was refused is no JSON.
    }
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  console.log('         what the operator reads:')
  for (const [line, times] of [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, 40))
    console.log(`         ${String(times).padStart(5)} × ${line}`)
}

/** Every attack there is, at random moments, while events come in: nothing is lost, nothing is there twice. */
export const benchSiege = async () => {
  const siege = await openSiege()
  await siege.restart()
  const endMs = performance.now() + forMs
  let isOver = false
  const sending = sendAll(siege, () => isOver)
  const fullDisk = []
  let pile = []
  while (performance.now() < endMs) {
    if (pile.length === 0) pile = Object.keys(attacks).toSorted(() => Math.random() - 0.5)
    const name = pile.pop()
    const fromMs = performance.now()
    const found = await Promise.race([
      attacks[name](siege).catch((error) => `the attack itself failed: ${error.message}`),
      delay(longestAttackMs, `is not over after ${longestAttackMs / 1000} s`),
    ])
    const untilMs = performance.now()
    // After a full disk acceptance may rest for the ten seconds that it has promised in Retry-After.
    if (name === 'a full disk' && siege.isSmallDisk) fullDisk.push([fromMs, untilMs + 10_000])
    console.log(`         ${((untilMs - fromMs) / 1000).toFixed(1).padStart(5)} s  ${name}: ${found}`)
    await delay(1000 + Math.random() * 3000)
  }
  isOver = true
  const { tries, acknowledged } = await sending
  const ask = (what, more = '') =>
    query(siege.url(), `SELECT ${what} FROM events WHERE environment = 'production' ${more}`).then(
      ([[value]]) => Number(value),
      (error) => Number(console.log(`           the question failed: ${error.message.slice(0, 300)}`)),
    )
  const expected = acknowledged * perBatch
  const catchUpEndMs = performance.now() + longestCatchUpMs
  while (!((await ask('count(*)')) >= expected) && performance.now() < catchUpEndMs) await delay(1000)
  const stored = await ask('count(*)')
  const id = `json_extract_string(properties, '$.insert_id')`
  let different = 0
  for (let slice = 0; slice < slices; slice++)
    different += await ask(`count(DISTINCT ${id})`, `AND hash(${id}) % ${slices} = ${slice}`)
  tellLog(await siege.close())

  const isFull = ({ atMs }) => fullDisk.some(([from, until]) => atMs > from && atMs < until)
  const answered = tries.filter((each) => !isFull(each) && each.status !== 'unreachable').map(({ ms }) => ms)
  answered.sort((a, b) => a - b)
  const at = (share) => answered[Math.floor(answered.length * share)] ?? 0
  const refused = {}
  for (const { status } of tries) if (status !== 200) refused[status] = (refused[status] ?? 0) + 1
  return [
    [
      `siege: ${forMs / 1000} s of attacks, ${rowsPerSecond} rows/s`,
      'every acknowledged row once',
      `${expected} acknowledged, ${stored} stored, ${different} different`,
      stored === expected && different === expected,
    ],
    [
      'siege: an answer of /track, but while the disk is full',
      'p99 ≤ 1 s',
      `p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(0)} ms, at most ${at(0.9999).toFixed(0)} ms; not taken at the first try: ${JSON.stringify(refused)}`,
      at(0.99) <= 1000,
    ],
  ]
}
