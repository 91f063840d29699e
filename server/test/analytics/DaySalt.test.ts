import { createHmac } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { DaySalt, type SaltPlace, saltFile } from '../../src/analytics/DaySalt.js'
import { backup } from '../../src/commands/backup.js'
import { Logger } from '../../src/Logger.js'
import { createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

const root = mkdtempSync(join(tmpdir(), 'waymark-salt-'))
afterAll(() => rmSync(root, { recursive: true }))
afterEach(() => vi.useRealTimers())

const noon = Date.UTC(2026, 0, 1, 12)
const dayMs = 86_400_000
const quiet = new Logger('silent')
const place = (name: string) => ({ file: join(root, name), of: () => saltFile(join(root, name)) })
const at = (where: SaltPlace, now: () => number) => new DaySalt(where, quiet, now)

it('makes one id a day of one description, in every process that shares the place', async () => {
  const { of } = place('shared')
  let now = noon
  const [one, other] = [at(of(), () => now), at(of(), () => now)]
  const id = await one.idOf(['a', 'b'])
  expect(id).toMatch(/^day-[\w-]{22}$/)
  expect(await other.idOf(['a', 'b'])).toBe(id)
  expect(await one.idOf(['ab', ''])).not.toBe(id)
  now += dayMs / 2
  const next = await other.idOf(['a', 'b'])
  expect(next).not.toBe(id)
  expect(await one.idOf(['a', 'b'])).toBe(next)
})

it('goes on with the salt of tomorrow where a clock is a little behind, so that midnight makes no second one', async () => {
  const { file, of } = place('late')
  await at(of(), () => noon + dayMs).idOf(['a'])
  const salt = readFileSync(file, 'latin1')
  await at(of(), () => noon).idOf(['a'])
  expect(readFileSync(file, 'latin1')).toBe(salt)
})

it.each([
  ['by the process that saw it', false],
  ['by another', true],
])('outlives a clock that was wrong for a moment, asked %s: one id a day', async (_, isOther) => {
  const { file, of } = place(`wrong-${isOther}`)
  const lines: string[] = []
  const logger = new Logger('warn', (line) => lines.push(line))
  let now = noon + 400 * dayMs
  const first = new DaySalt(of(), logger, () => now)
  const ids = [await first.idOf(['a'])]
  const salt = isOther ? new DaySalt(of(), logger, () => now) : first
  for (const day of [0, 1, 2, 30, 200, 401]) {
    now = noon + day * dayMs
    ids.push(await salt.idOf(['a']))
    expect(readFileSync(file, 'latin1')).toMatch(new RegExp(`^${new Date(now).toISOString().slice(0, 10)} `))
  }
  expect(new Set(ids).size).toBe(ids.length)
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'warn', day: '2027-02-05' },
  ])
})

it('hashes the day, so that a salt that outlives its day gives nobody one id for two days', async () => {
  const fixed = Buffer.alloc(32, 1)
  const forever: SaltPlace = {
    take: () => Promise.resolve(Buffer.from(fixed)),
    forgetOthers: () => Promise.resolve(undefined),
  }
  const ids = [0, 1, 2].map((day) => at(forever, () => noon + day * dayMs).idOf(['a']))
  expect(new Set(await Promise.all(ids)).size).toBe(3)
})

it('removes the salt of an earlier day at the start, and when the day ends though nobody comes', async () => {
  const { file, of } = place('old')
  await at(of(), () => noon).idOf(['a'])
  const salt = at(of(), () => Date.now())
  vi.useFakeTimers({ now: noon + 1000 })
  await salt.start()
  expect(readFileSync(file, 'latin1')).toMatch(/^2026-01-01 /)
  await vi.advanceTimersByTimeAsync(dayMs / 2 + 60_000)
  expect(() => statSync(file)).toThrow('ENOENT')
  salt.stop()
})

it('makes a new salt where the file is broken, and asks to send again where none can be kept', async () => {
  const { file, of } = place('broken')
  writeFileSync(file, 'x')
  expect(await at(of(), () => noon).idOf(['a'])).toMatch(/^day-/)
  const salt = at(saltFile(join(root, 'missing', 'salt')), () => noon)
  await expect(salt.idOf(['a'])).rejects.toMatchObject({ status: 503, code: 'log-unavailable' })
})

/** Every file below a folder. */
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())

it('lets nobody find a visitor again once the day is over: not by all addresses of a network and all browsers', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: noon })
  const service = await createService({ trustProxy: 1 })
  try {
    const agents = ['Browser/1', 'Browser/2', 'Browser/3']
    const visit = (address: string, agent: string) =>
      service.ingest('/anonymous?sync=true', [event('$pageview')], {
        'x-forwarded-for': address,
        'user-agent': agent,
      })
    for (let n = 0; n < 30; n++) await visit(`10.77.${n * 8}.${n}`, `Browser/${(n % 3) + 1}`)
    const { rows } = await service.query('SELECT DISTINCT anonymous_id FROM events')
    const ids = new Set(rows.flat())
    expect(ids.size).toBe(30)

    /** How many of the ids a salt gives back, tried with every address of 10.77.0.0/16 and every browser of the run. */
    const found = (salt: Buffer) => {
      let count = 0
      for (let n = 0; n < 65_536; n++) {
        for (const agent of agents) {
          const said = JSON.stringify([
            '2026-01-01',
            `10.77.${n >> 8}.${n & 255}`,
            agent,
            'key-1',
            'production',
          ])
          const hash = createHmac('sha256', salt).update(said).digest('base64url').slice(0, 22)
          if (ids.has(`day-${hash}`)) count++
        }
      }
      return count
    }
    const file = join(service.folder, 'day-salt')
    const kept = () => Buffer.from(readFileSync(file, 'latin1').split(' ').at(-1) ?? '', 'base64')
    const salt = kept()
    // On the same day, who reads the file finds all: so the search works.
    expect(found(salt)).toBe(30)
    const copy = join(root, 'backup.tar')
    await backup.run({ argv: [copy, '--data', service.folder], env: {}, print: () => undefined })

    vi.setSystemTime(noon + dayMs)
    await visit('10.77.0.0', 'Browser/1')
    const next = kept()
    for (const path of [copy, ...filesOf(service.folder)]) {
      const bytes = readFileSync(path)
      expect([path, bytes.includes(salt), bytes.includes(salt.toString('base64'))]).toEqual([
        path,
        false,
        false,
      ])
    }
    expect(found(next)).toBe(0)
  } finally {
    await service.close()
  }
})
