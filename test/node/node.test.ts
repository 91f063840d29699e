import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createWaymark, type NodeOptions } from '../../src/node/index'
import { createService } from '../world/createService'

let folder = ''
let service: ReturnType<typeof createService>
const warn = vi.spyOn(console, 'warn')
const open: { shutdown(): Promise<unknown> }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-'))
  service = createService(Date.now)
  warn.mockReset()
})
afterEach(async () => {
  service.become({ kind: 'well' })
  await Promise.all(open.splice(0).map((waymark) => waymark.shutdown()))
  rmSync(folder, { recursive: true, force: true })
})

const create = (given: Partial<NodeOptions> = {}) => {
  const waymark = createWaymark({
    apiKey: 'sk_1',
    endpoint: 'https://api.test',
    dir: folder,
    batch: { intervalMs: 5 },
    transport: { fetch: (url, init) => service.fetch(url, init, { isGone: false }) },
    ...given,
  })
  open.push(waymark)
  return waymark
}
const files = () => readdirSync(folder).filter((name) => name.endsWith('.log'))

describe('a user', () => {
  it('has the calls of the browser, without what only a page has', async () => {
    const waymark = create({ release: '1.2' })
    const user = waymark.forUser('u_1')
    user.register({ plan: 'pro' })
    const { id } = user.track('Invoice Paid', { total: 9.5, at: new Date(0) })
    user.identify('u_1', { name: 'Ada' })
    user.updateTraits({ seats: 2 })
    user.alias('u_2')
    waymark.forUser('u_3', { anonymousId: 'a', deviceId: 'd', sessionId: 's' }).page()
    expect(await waymark.flush()).toEqual({ sent: 5, left: 0, dropped: 0 })
    const [paid, named, seats, alias, page] = service.events()
    expect(paid).toMatchObject({
      event: 'Invoice Paid',
      distinct_id: 'u_1',
      session_id: '',
      environment: 'production',
    })
    expect(paid!.properties).toEqual({
      $lib: 'waymark/node',
      $lib_version: __VERSION__,
      $release: '1.2',
      insert_id: id,
      plan: 'pro',
      total: 9.5,
      at: '1970-01-01T00:00:00.000Z',
    })
    expect(named).toMatchObject({ distinct_id: 'u_1', traits: { name: 'Ada' } })
    expect(seats).toMatchObject({ distinct_id: 'u_1', traits: { seats: 2 } })
    expect(alias).toMatchObject({ distinct_id: 'u_1', new_user_id: 'u_2' })
    expect(page).toMatchObject({
      event: '$pageview',
      distinct_id: 'u_3',
      anonymous_id: 'a',
      device_id: 'd',
      session_id: 's',
    })
    expect(page!.properties).not.toHaveProperty('plan')
    expect(service.taken[0]!.init!.headers).toMatchObject({ 'X-API-Key': 'sk_1' })
    expect(service.taken[0]!.path).not.toContain('sk_1')
  })

  it('that is another one has nothing of the first', async () => {
    const waymark = create()
    const user = waymark.forUser('u_1', { anonymousId: 'a', deviceId: 'd' })
    user.identify('u_2')
    expect(user.ids).toMatchObject({ userId: 'u_2', anonymousId: '', deviceId: '' })
  })

  it('that is nobody is not recorded: each call would make a new person', async () => {
    const waymark = create()
    const codes: string[] = []
    waymark.on('error', ({ code }) => codes.push(code))
    const nobody = waymark.forUser(undefined as never)
    expect(await nobody.track('A').outcome).toMatchObject({ status: 'dropped', reason: 'invalid' })
    nobody.identify('u_1')
    nobody.track('B')
    await waymark.flush()
    expect(service.names()).toEqual(['identify', 'B'])
    expect(codes).toEqual(['invalid-user-id', 'no-visitor'])
  })
})

describe('the host', () => {
  it('is thrown nothing, whatever it gives', async () => {
    const waymark = create({ dir: '', beforeSend: () => { throw new Error('mine') } }) // prettier-ignore
    const user = waymark.forUser('u_1')
    expect(user.track('e'.repeat(401)).id).toBe('')
    user.track(null as never, 7 as never)
    user.identify({} as never)
    user.track('A', { circle: user, big: 1n })
    await waymark.flush()
    expect(service.names()).toEqual(['A'])
    for (const given of [undefined, {}, { apiKey: 'k' }, { apiKey: 7, endpoint: 8, dir: 9 }]) {
      const wrong = createWaymark(given as never)
      expect(await wrong.forUser('u').track('A').outcome).toMatchObject({ status: 'dropped' })
      expect(await wrong.saved()).toBe(false)
      await wrong.shutdown()
    }
  })

  it('is told once that nothing outlives the process without a folder', async () => {
    const waymark = create({ dir: undefined })
    waymark.forUser('u_1').track('A')
    expect(await waymark.saved()).toBe(false)
    expect(waymark.stats().store).toBe('memory')
    await waymark.flush()
    expect(service.names()).toEqual(['A'])
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^\[waymark\] memory-only: .*errors.md#memory-only/)],
    ])
  })

  it('is told what the disk refuses, which is kept in memory and sent', async () => {
    writeFileSync(join(folder, 'file'), '')
    const waymark = create({ dir: join(folder, 'file') })
    service.become({ kind: 'down' })
    waymark.forUser('u_1').track('A')
    expect(await waymark.saved()).toBe(false)
    expect(waymark.stats()).toMatchObject({ store: 'memory', queued: 1 })
    service.become({ kind: 'well' })
    await waymark.flush()
    expect(service.names()).toEqual(['A'])
    expect(warn.mock.calls.join()).toContain('disk-refuses')
  })
})

describe('the folder', () => {
  /** A process that could not send, and has ended. */
  const leave = async (dir = folder) => {
    service.become({ kind: 'down' })
    const waymark = create({ dir })
    const { id } = waymark.forUser('u_1').track('Left')
    expect(await waymark.saved()).toBe(true)
    expect((await waymark.shutdown()).left).toBe(1)
    service.become({ kind: 'well' })
    return id
  }

  it('keeps what could not be sent for the next process, under the same id', async () => {
    const id = await leave()
    expect(files()).toHaveLength(1)
    create()
    await expect.poll(service.names).toEqual(['Left'])
    expect(service.events()[0]!.properties['insert_id']).toBe(id)
    await Promise.all(open.map((waymark) => waymark.shutdown()))
    expect(readdirSync(folder)).toEqual([])
  })

  it('is read by its owner alone, and so are its files', async () => {
    const dir = join(folder, 'made')
    await leave(dir)
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
    expect(modeOf(dir)).toBe('700')
    expect(readdirSync(dir).map((name) => modeOf(join(dir, name)))).toEqual(['600'])
  })

  it('may hold folders of others, whatever their names', async () => {
    for (const name of ['x.log', 'x.lock', 'x.part']) mkdirSync(join(folder, name))
    await leave()
    create()
    await expect.poll(service.names).toEqual(['Left'])
    await Promise.all(open.map((waymark) => waymark.shutdown()))
    expect(readdirSync(folder).toSorted()).toEqual(['x.lock', 'x.log', 'x.part'])
  })

  it('may have a long name', async () => {
    const dir = join(folder, 'a'.repeat(120))
    await leave(dir)
    create({ dir })
    await expect.poll(service.names).toEqual(['Left'])
  })

  it('gives up no more than the line that a crash has cut short', async () => {
    await leave()
    const [file] = files() as [string]
    const text = readFileSync(join(folder, file), 'utf8')
    writeFileSync(join(folder, file), `${text.slice(0, 10)}\n${text}\0\0\n${text.slice(0, -9)}`)
    create()
    await expect.poll(service.names).toEqual(['Left'])
  })

  it('leaves the file of a process that lives alone', async () => {
    service.become({ kind: 'down' })
    const first = create()
    first.forUser('u_1').track('Mine')
    await first.saved()
    const second = create()
    second.forUser('u_1').track('Yours')
    await second.saved()
    await expect.poll(() => files().length).toBe(2)
    expect(second.stats().queued).toBe(1)
  })

  it('is as small as what waits, also where something always waits', async () => {
    const waymark = create({ queue: { maxBytes: 2 ** 25 } })
    const user = waymark.forUser('u_1')
    for (let round = 0; round < 12; round++) {
      service.hold()
      user.track('Large', { text: 'x'.repeat(1_000_000) })
      const flushed = waymark.flush()
      user.track('Waits')
      service.answerNow()
      await flushed
    }
    await waymark.saved()
    expect(service.names().filter((name) => name === 'Large')).toHaveLength(12)
    expect(statSync(join(folder, files()[0]!)).size).toBeLessThan(6_000_000)
  })

  it('holds what is tracked after it was taken away, once it can be written again', async () => {
    const dir = join(folder, 'inner')
    mkdirSync(dir)
    const waymark = create({ dir })
    service.become({ kind: 'down' })
    waymark.forUser('u_1').track('A')
    expect(await waymark.saved()).toBe(true)
    expect(waymark.stats()).toMatchObject({ store: 'disk', queued: 1 })
  })
})

describe('a crawler', () => {
  it('is noted as one, with the address that it asked for', async () => {
    const waymark = create()
    const ask = (userAgent: string) =>
      waymark.noteCrawler({ headers: { 'user-agent': userAgent, host: 'shop.test' }, url: '/plans?token=1' })
    const gpt = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'
    expect([gpt, 'Mozilla/5.0; ChatGPT-User/1.0', 'python-requests/2', ''].map(ask)).toEqual([
      true,
      true,
      true,
      false,
    ])
    expect(ask('Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0.0.0 Safari/537.36')).toBe(false)
    expect(waymark.noteCrawler({} as never)).toBe(false)
    await waymark.flush()
    expect(service.events()).toMatchObject(
      ['crawler gptbot', 'crawler chatgpt-user', 'crawler python-'].map((distinct_id) => ({
        event: '$pageview',
        distinct_id,
        properties: { $url: 'http://shop.test/plans', $device_type: 'bot' },
      })),
    )
    expect(service.events()[0]!.properties['$user_agent']).toBe(gpt)
  })
})

describe('delivery', () => {
  it('sets aside what the service never takes, and sends the rest', async () => {
    const waymark = create()
    service.become({ kind: 'refuses', text: '"bad"', errorCode: 'unknown-built-in-property' })
    const user = waymark.forUser('u_1')
    const good = user.track('A')
    const bad = user.track('B', { is: 'bad' })
    user.track('C')
    await waymark.flush()
    expect(service.names()).toEqual(['A', 'C'])
    expect(await good.outcome).toEqual({ status: 'accepted', taskId: 'task-1' })
    expect(await bad.outcome).toMatchObject({ status: 'dropped', reason: 'quarantined' })
    expect(waymark.stats().dropped).toEqual({ quarantined: 1 })
  })

  it('waits for a service that is down, however often it does not answer', async () => {
    const waymark = create()
    service.become({ kind: 'down' })
    waymark.forUser('u_1').track('A')
    for (let round = 0; round < 10; round++) await waymark.flush()
    expect(waymark.stats()).toMatchObject({ state: 'waiting', queued: 1 })
    service.become({ kind: 'well' })
    expect((await waymark.flush()).sent).toBe(1)
  })
})
