import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { WriteAheadLog } from '../../src/wal/WriteAheadLog.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'

let folder: string
let running: Spawned[] = []
/** The service itself, in a process of its own: a crash of the engine would be no sentence. */
const spawnHere = (...more: string[]) => {
  const spawned = spawnService(['--port', '0', '--data', folder, '--quiet', ...more], { direct: true })
  running.push(spawned)
  return spawned
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-damage-'))
  const service = await createService({ dataFolder: folder })
  await service.ingest(
    '/track?sync=true',
    Array.from({ length: 2000 }, (_, at) => event(`kept-${at}`)),
  )
  await service.stop()
})
afterEach(async () => {
  for (const each of running) each.kill('SIGKILL')
  await Promise.all(running.map((each) => each.ended))
  running = []
  rmSync(folder, { recursive: true, force: true })
})

const at = (file: string) => join(folder, file)
const sizes = () =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((file) => /duckdb|json/.test(file))
      .map((file) => [file, statSync(at(file)).size]),
  )

describe('a damaged store', () => {
  it.each([
    ['a catalog overwritten', () => writeFileSync(at('analytics.duckdb'), Buffer.alloc(20_000, 7))],
    ['a catalog cut off within its header', () => truncateSync(at('analytics.duckdb'), 5000)],
    ['a catalog that is missing', () => rmSync(at('analytics.duckdb'))],
    ['a lakehouse catalog that is missing', () => rmSync(at('lakehouse.duckdb'))],
    [
      'an accept log overwritten',
      () => writeFileSync(at('accept-log/analytics/0000000001.wal'), Buffer.alloc(50_000, 7)),
    ],
    ['an accept log cut off', () => truncateSync(at('accept-log/analytics/0000000001.wal'), 9000)],
    [
      'an accept log filled with zeros',
      () => writeFileSync(at('accept-log/analytics/0000000001.wal'), Buffer.alloc(2 ** 20)),
    ],
    ['an accept log without its newest file', () => rmSync(at('accept-log/analytics/0000000001.wal'))],
    ['an empty accept log', () => writeFileSync(at('accept-log/analytics/0000000001.wal'), '')],
    ['an accept log that is missing', () => rmSync(at('accept-log'), { recursive: true })],
    ['an accept log without its files', () => rmSync(at('accept-log/analytics'), { recursive: true })],
    ['a manifest overwritten', () => writeFileSync(at('store.json'), '{')],
  ])('is reported in one sentence and left alone: %s', async (_, damage) => {
    damage()
    const before = sizes()
    const spawned = spawnHere()
    const { code, stdout, stderr } = await spawned.ended
    expect(stdout).toBe('')
    expect(stderr.trim()).toMatch(
      /^The store is damaged: .*Nothing was changed; restore .* from a backup[^.]*\.$/,
    )
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(code).toBe(1)
    expect(sizes()).toEqual(before)
  })

  it("stores again what DuckDB's own log held, as long as the write-ahead log has it", async () => {
    const first = spawnHere('--api-keys', 'key')
    const url = urlIn(await first.ready)
    const body = JSON.stringify({ environment: 'production', event: 'in the log', properties: {} })
    for (let sent = 0; sent < 2; sent++)
      await fetch(`${url}/track?apiKey=key&sync=true`, { method: 'POST', body })
    first.kill('SIGKILL')
    await first.ended
    expect(statSync(at('analytics.duckdb.wal')).size).toBeGreaterThan(0)
    rmSync(at('analytics.duckdb.wal'))
    const service = await createService({ dataFolder: folder })
    await service.ingest('/track?sync=true', event('after'))
    expect((await service.query('SELECT count(*) FROM events')).rows).toEqual([[2003]])
    await service.stop()
  })

  it('is noticed when a catalog lacks rows that the log no longer has', async () => {
    rmSync(at('accept-log/analytics'), { recursive: true })
    await (await WriteAheadLog.open(at('accept-log/analytics'), 5000)).close()
    const { code, stderr } = await spawnHere().ended
    expect(stderr).toMatch(/^The store is damaged: the catalog analytics has lost 3000 rows/)
    expect(code).toBe(1)
  })

  it('opens again once it is restored', async () => {
    const file = at('analytics.duckdb')
    const good = readFileSync(file)
    writeFileSync(file, Buffer.alloc(100))
    await expect(createService({ dataFolder: folder })).rejects.toThrow('The store is damaged')
    writeFileSync(file, good)
    const service = await createService({ dataFolder: folder })
    expect((await service.query('SELECT count(*) FROM events')).rows).toEqual([[2000]])
    await service.stop()
    expect(existsSync(file)).toBe(true)
  })
})
