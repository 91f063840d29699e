import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createService } from '../fixtures/createService.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'
import { eventually } from '../fixtures/eventually.js'

const folder = mkdtempSync(join(tmpdir(), 'waymark-full-'))
let spawned: Spawned | undefined
afterEach(async () => {
  spawned?.kill('SIGKILL')
  await spawned?.ended
  rmSync(folder, { recursive: true, force: true })
})

it('answers 503 on a full disk, keeps answering, and loses nothing that it accepted', async () => {
  const flags = ['--port', '0', '--data', folder, '--api-keys', 'key', '--quiet']
  spawned = spawnService(flags, { direct: true, maxFileKiB: 3000 })
  const url = urlIn(await spawned.listening)
  // A folder in the place of the file that is to be the next segment: the log cannot grow, and DuckDB,
  // whose files may not, cannot take what it holds.
  const log = join(folder, 'accept-log', 'analytics')
  const obstacle = join(log, 'new')
  // The first one is made meanwhile.
  await eventually(() => expect(readdirSync(log)).not.toContain('new'))
  mkdirSync(obstacle)
  const track = async (n: number) => {
    const properties = { n, filler: 'x'.repeat(50_000) }
    const response = await fetch(`${url}/track?apiKey=key`, {
      method: 'POST',
      body: JSON.stringify({ environment: 'production', event: 'filling', properties }),
    })
    return {
      status: response.status,
      retry: response.headers.get('retry-after'),
      body: await response.json(),
    }
  }

  const accepted: number[] = []
  const refused: unknown[] = []
  for (let n = 0; n < 400 && refused.length < 20; n++) {
    const { status, retry, body } = await track(n)
    if (status === 200) accepted.push(n)
    else refused.push({ status, retry, body })
  }
  expect(accepted.length).toBeGreaterThan(5)
  expect(refused).toHaveLength(20)
  for (const answer of refused) {
    expect(answer).toMatchObject({
      status: 503,
      retry: expect.stringMatching(/^\d+$/),
      body: { ok: false, message: expect.stringMatching(/\w/) },
    })
  }
  expect((await fetch(`${url}/nothing`)).status).toBe(404)

  spawned.kill('SIGKILL')
  await spawned.ended
  rmSync(obstacle, { recursive: true })
  const service = await createService({ dataFolder: folder, apiKeys: ['key'] })
  try {
    await service.ingest(
      '/track?sync=true',
      { environment: 'production', event: 'end', properties: {} },
      { 'x-api-key': 'key' },
    )
    const { rows } = await service.query(
      `SELECT (properties->>'n')::INT FROM events WHERE event = 'filling' ORDER BY 1`,
    )
    const stored = rows.flat() as number[]
    expect(accepted.filter((n) => !stored.includes(n))).toEqual([])
    expect(new Set(stored).size).toBe(stored.length)
  } finally {
    await service.stop()
  }
})
