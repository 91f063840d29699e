import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { runWaymark } from '../fixtures/runWaymark.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'
import { LogStore } from '../../src/wal/LogStore.js'

const root = mkdtempSync(join(tmpdir(), 'waymark-salvage-'))
const whole = join(root, 'whole')
const stored = 200
const waiting = 3000

/** A store whose log holds rows that DuckDB has not, in more than one file: written as ingest does, without an engine. */
beforeAll(async () => {
  const service = await createService({ dataFolder: whole })
  await service.ingest(
    '/track?sync=true',
    Array.from({ length: stored }, (_, n) => event(`stored ${n}`)),
  )
  await service.stop()
  const log = await LogStore.open(join(whole, 'accept-log')).writer('analytics')
  for (let n = 0; n < waiting; n++) {
    const body = Buffer.from(
      JSON.stringify([event(`waiting ${n}`, { properties: { n, text: 'x'.repeat(900) } })]),
    )
    await log.append({ kind: 'track', count: 1, receivedAtMs: Date.now(), body })
  }
  await log.close()
})
let spawned: Spawned[] = []
const spawnOn = (folder: string, ...more: string[]) => {
  const flags = ['--port', '0', '--data', folder, '--quiet', ...more]
  spawned.push(spawnService(flags, { direct: true }))
  return spawned.at(-1)!
}
afterEach(async () => {
  for (const each of spawned) each.kill('SIGTERM')
  await Promise.all(spawned.map((each) => each.ended))
  spawned = []
})
afterAll(() => rmSync(root, { recursive: true }))

const damaged = (harm: (log: string, newest: string) => void) => {
  const folder = join(root, 'damaged')
  rmSync(folder, { recursive: true, force: true })
  cpSync(whole, folder, { recursive: true })
  const log = join(folder, 'accept-log', 'analytics')
  const names = readdirSync(log).filter((name) => name.endsWith('.wal'))
  const newest = names.toSorted().findLast((name) => readFileSync(join(log, name)).readUInt8(0) !== 0)!
  harm(log, join(log, newest))
  return folder
}

const overwriteMiddle = (log: string) => {
  const file = join(log, '0000000002.wal')
  const bytes = readFileSync(file)
  bytes.fill(7, 500_000, 503_000)
  writeFileSync(file, bytes)
}

const flipBit = (file: string): void => {
  const bytes = readFileSync(file)
  bytes.writeUInt8(bytes.readUInt8(250_000) ^ 8, 250_000)
  writeFileSync(file, bytes)
}

it.each([
  ['its newest file is missing', (_: string, newest: string) => rmSync(newest)],
  [
    'its newest file is full of zeros',
    (_: string, newest: string) => writeFileSync(newest, Buffer.alloc(2 ** 22)),
  ],
  ['its newest file is cut off', (_: string, newest: string) => truncateSync(newest, 300_000)],
  ['its second file is missing', (log: string) => rmSync(join(log, '0000000002.wal'))],
  ['its second file is overwritten in the middle', overwriteMiddle],
  ['a bit of its newest file is flipped', (_: string, newest: string) => flipBit(newest)],
  ['a bit of its second file is flipped', (log: string) => flipBit(join(log, '0000000002.wal'))],
  ['its second file is cut off', (log: string) => truncateSync(join(log, '0000000002.wal'), 300_000)],
])(
  'a log of which %s is refused and named, and after a salvage the service has all rows that are left',
  async (_, harm) => {
    const folder = damaged(harm)
    const refused = await spawnOn(folder).ended
    expect(refused.code).toBe(1)
    expect(refused.stderr.trim().split('\n')).toHaveLength(1)
    expect(refused.stderr).toMatch(/^The store is damaged: the write-ahead log .*waymark-server salvage/)
    const checked = await runWaymark('check', '--data', folder)
    expect(checked.code).toBe(1)
    expect(checked.lines.filter((line) => line.startsWith('WRONG'))).toEqual([
      `WRONG  ${refused.stderr.trim()}`,
    ])

    const { code, lines } = await runWaymark('salvage', '--data', folder)
    expect(code).toBe(0)
    const told = /through 200, (\d+) later ones were kept, and (\d+) accepted rows are given up\.$/
    const line = lines.find((each) => told.test(each))
    const [kept, lost] = told
      .exec(line ?? '')!
      .slice(1)
      .map(Number) as [number, number]
    expect(kept + lost).toBe(waiting)
    expect(kept).toBeGreaterThan(0)
    expect(lost).toBeGreaterThan(0)

    const running = spawnOn(folder, '--api-keys', 'key', '--users', 'ada:secret')
    const url = urlIn(await running.ready)
    const sent = await fetch(`${url}/track?apiKey=key&sync=true`, {
      method: 'POST',
      body: JSON.stringify(event('after')),
    })
    expect(sent.status).toBe(200)
    const statement = `SELECT count(*)::INT, count(DISTINCT event)::INT, count(*) FILTER (event LIKE 'waiting%')::INT FROM events`
    const answer = await fetch(`${url}/query`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('ada:secret').toString('base64')}` },
      body: JSON.stringify({ statement }),
    })
    const rows = (await answer.text()).trim().split('\n').slice(2)
    expect(rows).toEqual([JSON.stringify([stored + kept + 1, stored + kept + 1, kept])])
    running.kill('SIGTERM')
    await running.ended
    expect((await runWaymark('check', '--data', folder)).code).toBe(0)
  },
)

it('leaves a log that is whole alone', async () => {
  const folder = damaged(() => undefined)
  const { code, lines } = await runWaymark('salvage', '--data', folder)
  expect(code).toBe(0)
  expect(lines.join('\n')).toMatch(/accept-log\/analytics is whole\.\n.*append-log\/lakehouse is whole\.$/)
  expect((await runWaymark('check', '--data', folder)).code).toBe(0)
})
