import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { eventBody, perBatch } from './eventBody.mjs'
import { ask as askAs } from './siege/ask.mjs'
import { attacks } from './siege/attacks.mjs'
import { openSiege } from './siege/openSiege.mjs'
import { query } from './startProcess.mjs'

const forMs = Number(process.env.BENCH_MS ?? 600_000)
/** The attacks whose names have this part; all without it. */
const named = Object.keys(attacks).filter((name) => name.includes(process.env.BENCH_ATTACKS ?? ''))
const rowsPerSecond = 2000
/** A sender that hears nothing for so long counts that as its latency, and sends again. */
const patienceMs = 30_000
const longestCatchUpMs = 300_000
const longestAttackMs = 120_000
/** Ids are counted in slices, because the memory of this service is small. */
const slices = 8

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

/** Another user's question, again and again: what a client waits for that does nothing but ask. */
const askAll = async (siege, isOver) => {
  const authorization = `Basic ${Buffer.from('another:user').toString('base64')}`
  const asked = []
  while (!isOver()) {
    const atMs = performance.now()
    const status = await askAs(siege.url(), 'SELECT count(*) FROM range(1000)', authorization)
    asked.push({ atMs, status, ms: performance.now() - atMs })
    await delay(500)
  }
  return asked
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
  const asking = askAll(siege, () => isOver)
  const fullDisk = []
  const spans = []
  /** While a process is killed or stands still, everybody waits for it. */
  const outages = []
  let pile = []
  while (performance.now() < endMs) {
    if (pile.length === 0) pile = named.toSorted(() => Math.random() - 0.5)
    const name = pile.pop()
    const fromMs = performance.now()
    const found = await Promise.race([
      attacks[name](siege).catch((error) => `the attack itself failed: ${error.message}`),
      delay(longestAttackMs, `is not over after ${longestAttackMs / 1000} s`),
    ])
    const untilMs = performance.now()
    spans.push({ name, fromMs, untilMs })
    // After a full disk acceptance may rest for the ten seconds that it has promised in Retry-After.
    if (name === 'a full disk' && siege.isSmallDisk) fullDisk.push([fromMs, untilMs + 10_000])
    if (/^(kill|the newest files|the engine stands)/.test(name)) outages.push([fromMs, untilMs + 10_000])
    console.log(`         ${((untilMs - fromMs) / 1000).toFixed(1).padStart(5)} s  ${name}: ${found}`)
    await delay(1000 + Math.random() * 3000)
  }
  isOver = true
  const { tries, acknowledged } = await sending
  const asked = await asking
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

  const isWithin =
    (these) =>
    ({ atMs, ms }) =>
      these.some(([from, until]) => atMs + ms > from && atMs < until)
  const isFull = isWithin(fullDisk)
  const isOutage = isWithin([...fullDisk, ...outages])
  const innocent = asked.filter((each) => !isOutage(each))
  const waits = innocent.map(({ ms }) => ms).toSorted((a, b) => a - b)
  for (const { atMs, ms } of innocent.toSorted((a, b) => b.ms - a.ms).slice(0, 5)) {
    const during = spans.filter(({ fromMs, untilMs }) => atMs + ms > fromMs && atMs < untilMs)
    console.log(
      `         a question waited ${ms.toFixed(0)} ms: ${during.map(({ name }) => name).join(', ')}`,
    )
  }
  const failures = innocent.filter(({ status }) => status !== '200').map(({ status }) => status)
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
    [
      'siege: a question of another user, but while processes are killed or the disk is full',
      'at most 3 s',
      `${innocent.length} asked: p50 ${(waits[Math.floor(waits.length / 2)] ?? 0).toFixed(0)} ms, at most ${(waits.at(-1) ?? 0).toFixed(0)} ms; failed: ${JSON.stringify(failures)}`,
      failures.length === 0 && (waits.at(-1) ?? 0) <= 3000,
    ],
  ]
}
