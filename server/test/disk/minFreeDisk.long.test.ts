import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { basic, createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { withMounts } from '../fixtures/withMounts.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let spawned: Spawned | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-room-'))
})
afterEach(async () => {
  spawned?.kill('SIGTERM')
  await spawned?.ended
  spawned = undefined
  rmSync(folder, { recursive: true, force: true })
})

const launch = (within: string[] | undefined, ...more: string[]): Spawned => {
  const flags = ['--data', join(folder, 'data'), '--api-keys', 'key', '--users', 'ada:lovelace']
  const others = [
    '--port',
    '0',
    '--metrics-token',
    'the-metrics-token',
    '--memory-limit',
    '1GB',
    '--quiet',
    ...more,
  ]
  return (spawned = spawnService([...flags, ...others], { direct: true, within }))
}
const start = async (within: string[] | undefined, ...more: string[]) =>
  urlIn(await launch(within, ...more).ready)
const post = async (url: string, body: unknown, headers = {}) => {
  const sent = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(url, sent)
  return { status: response.status, text: await response.text() }
}
const query = (url: string, statement: string) =>
  post(`${url}/query`, { statement }, { authorization: basic })
const append = (url: string) =>
  post(`${url}/append?catalog=lakehouse&schema=main&table=mine`, { n: 1 }, { authorization: basic })
const track = (url: string) => post(`${url}/track?apiKey=key&sync=true`, event('on'))
const freeDisk = async (url: string) => {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer the-metrics-token' } })
  return Number(/^waymark_disk_free_bytes (\S+)$/m.exec(await answer.text())?.[1])
}

const mebibyte = 2 ** 20
/** In the place of a disk that is short of room, where no small one can be mounted. */
const neverEnough = ['--min-free-disk', '9000TB']
/** Some 1.3 GB. */
const big = 'CREATE TABLE big AS SELECT range AS i, random()::VARCHAR AS t FROM range(50000000)'

it.each([
  ['fills the disk is ended before that', []],
  ['has filled the disk is told so', ['--min-free-disk', '0MB']],
])(
  'a statement that %s, the disk has its room again, and events are accepted all the time',
  async (_, flags) => {
    const own = withMounts(`mount -t tmpfs -o size=120m none '${folder}'`)
    const url = await start(own, ...(own === undefined ? neverEnough : flags))
    expect((await track(url)).status).toBe(200)
    const before = await freeDisk(url)
    const made = query(url, big)
    let isRunning = true
    void made.finally(() => (isRunning = false))
    let sent = 1
    for (; isRunning; sent++) expect((await track(url)).status).toBe(200)
    expect(await made).toEqual({ status: 507, text: expect.stringMatching(/"query-disk".*changed nothing/) })
    // Where the statement has met the end of the disk the engine ends for that.
    if (own !== undefined) {
      await eventually(async () => expect(await freeDisk(url)).toBeGreaterThan(before - 20 * mebibyte))
    }
    await eventually(async () => expect((await append(url)).status).toBe(own === undefined ? 503 : 200))
    expect((await query(url, 'SELECT count(*)::INT FROM events')).text).toContain(`\n[${sent}]`)
    expect((await query(url, 'FROM big')).status).toBe(400)
  },
)

it('on a full disk the service starts, answers and accepts, refuses what fills it, and lets tables be dropped', async () => {
  const made = await createService({ dataFolder: join(folder, 'made') })
  await made.ingest('/track?sync=true', event('before'))
  await made.query('CREATE TABLE lakehouse.main.mine AS SELECT range AS n FROM range(1000)')
  await made.stop()
  // As it is made where the disk has room.
  writeFileSync(join(folder, 'made', 'ballast'), Buffer.alloc(8 * mebibyte, 'x'))
  const data = join(folder, 'data')
  cpSync(join(folder, 'made'), data, { recursive: true })
  const own = withMounts(
    `mount -t tmpfs -o size=100m none '${data}' && cp -r '${folder}/made/.' '${data}' && { cat /dev/zero > '${data}/filler' || true; } 2> /dev/null`,
  )
  const url = await start(own, ...(own === undefined ? neverEnough : []))
  for (let n = 0; n < 20; n++) expect((await track(url)).status).toBe(200)
  expect((await query(url, 'SELECT count(*)::INT FROM events')).text).toContain('\n[21]')
  const refused = { status: 507, text: expect.stringContaining('"query-disk"') }
  expect(await query(url, 'CREATE TABLE other AS SELECT 1')).toEqual(refused)
  expect(await query(url, 'INSERT INTO mine VALUES (1)')).toEqual(refused)
  expect(await append(url)).toEqual({ status: 503, text: expect.stringContaining('"disk-full"') })
  const upload = await fetch(`${url}/upload?catalog=lakehouse&schema=main&table=up&format=csv&mode=create`, {
    method: 'POST',
    headers: { authorization: basic },
    body: 'a\n1\n',
  })
  expect([upload.status, await upload.text()]).toEqual([503, expect.stringContaining('"disk-full"')])
  expect((await query(url, 'DELETE FROM mine WHERE n < 500')).status).toBe(200)
  expect((await query(url, 'DROP TABLE mine')).status).toBe(200)
})

it('a full disk without any room left keeps queries away, not events, and its engine starts once there is room', async () => {
  const made = await createService({ dataFolder: join(folder, 'made') })
  await made.ingest('/track?sync=true', event('before'))
  await made.stop()
  rmSync(join(folder, 'made', 'ballast'), { force: true })
  const data = join(folder, 'data')
  cpSync(join(folder, 'made'), data, { recursive: true })
  // The room comes when the test asks for it.
  const wish = join(folder, 'wish')
  const own = withMounts(
    `mount -t tmpfs -o size=100m none '${data}' && cp -r '${folder}/made/.' '${data}' && { cat /dev/zero > '${data}/filler' || true; } 2> /dev/null && { (until [ -e '${wish}' ]; do sleep 0.1; done; rm '${data}/filler') & }`,
  )
  // The engine starts only later.
  const url = urlIn(await launch(own).listening)
  const accepted = await post(`${url}/track?apiKey=key`, event('on'))
  expect(accepted.status).toBe(200)
  writeFileSync(wish, '')
  await eventually(async () => {
    expect((await query(url, 'SELECT count(*)::INT FROM events')).text).toContain('\n[2]')
  })
})

it('a table that is made and dropped again and again takes its room once', async () => {
  const url = await start(undefined)
  const bytes = () => statSync(join(folder, 'data', 'lakehouse.duckdb')).size
  const makeAndDrop = async () => {
    // 100 MB.
    const made = await query(url, 'CREATE TABLE big AS SELECT hash(range) AS h FROM range(12500000)')
    expect(made.status).toBe(200)
    expect((await query(url, 'DROP TABLE big')).status).toBe(200)
    return bytes()
  }
  await makeAndDrop()
  await makeAndDrop()
  expect(await makeAndDrop()).toBeLessThan(150 * mebibyte)
})
