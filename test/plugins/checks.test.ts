import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checks, withChecks } from '../../src/plugins/checks'
import type { InitConfig, Plugin, Signals, Waymark } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

const warn = vi.fn<(text: string) => void>()
beforeEach(() => {
  warn.mockReset()
  vi.spyOn(console, 'warn').mockImplementation(warn)
  vi.spyOn(console, 'debug').mockReturnValue()
})
afterEach(() => vi.restoreAllMocks())

/** What `init` says of these options. */
const said = (given: object | null | undefined) => {
  withChecks(createWorld().openTab().create()).init('pk_test', given as InitConfig)
  return warn.mock.calls.map(([text]) => text)
}
const endpoint = 'https://api.test'

describe('a browser that is too old', () => {
  it('is named once', () => {
    const { at } = Array.prototype
    Reflect.deleteProperty(Array.prototype, 'at')
    const texts = said({ endpoint })
    Reflect.defineProperty(Array.prototype, 'at', { value: at, writable: true, configurable: true })
    expect(texts).toEqual([
      expect.stringMatching(/^\[waymark\] too-old-browser: .*docs\/errors.md#too-old-browser\)$/),
    ])
  })
})

describe('a call', () => {
  it('with a timestamp in seconds is told, and sent as it is', async () => {
    const world = createWorld()
    const waymark = withChecks(world.openTab().create()).init('pk_test', { endpoint })
    waymark.track('A', {}, { timestamp: 1767225600 })
    waymark.page({}, { timestamp: 1767225600 })
    waymark.identify('ada', {}, { timestamp: 1767225600 })
    waymark.track('B', {}, { timestamp: 1767225600000 })
    await world.advance(5000)
    expect(warn.mock.calls.map(([text]) => text)).toEqual(
      Array(3).fill(
        expect.stringMatching(/^\[waymark\] timestamp-in-seconds: .* 1970: .*#timestamp-in-seconds\)$/),
      ),
    )
    expect(world.service.names()).toEqual(['A', '$pageview', 'identify', 'B'])
  })
})

describe('the options of init', () => {
  it('that are right are passed on in silence, at any depth', () => {
    const all: InitConfig = {
      endpoint,
      environment: 'staging',
      release: '1',
      consent: 'pending',
      respectGpc: false,
      persistence: 'memory',
      bootstrap: { userId: 'ann' },
      session: { idleMs: 1 },
      batch: { maxEvents: 5 },
      queue: { ttlMs: 0 },
      transport: { auth: 'bearer', beacon: false, fetch: async () => new Response() },
      insertId: false,
      delivery: 'at-least-once',
      url: { keepParams: [], redact: String },
      beforeSend: (draft) => draft,
      plugins: [checks()],
      debug: true,
    }
    expect(said(all)).toEqual([])
    for (const beacon of ['auto', true] as const)
      expect(said({ endpoint, transport: { beacon } })).toEqual([])
    expect(said({ endpoint, insertId: 'id', release: undefined })).toEqual([])
  })

  it.each([
    [{ batch: { max_events: 5 } }, 'batch.max_events', 'batch.maxEvents'],
    [{ enviroment: 'staging' }, 'enviroment', 'environment'],
    [{ flushInterval: 5, maxEvents: 5 }, 'maxEvents', 'batch.maxEvents'],
    [{ beforesend: String }, 'beforesend', 'beforeSend'],
    [{ keepParams: [] }, 'keepParams', 'url.keepParams'],
  ])('%j: one that does not exist is named, with the nearest that does', (given, wrong, right) => {
    expect(said({ endpoint, ...given })).toContainEqual(
      expect.stringMatching(new RegExp(`unknown-option: There is no option "${wrong}".* "${right}"`)),
    )
  })

  it.each(['analytics.example.com', 'localhost:8787', 'stats.shop.de/w'])(
    'that give a host without a scheme (%s) are told with what to write',
    (host) => {
      expect(said({ endpoint: host })).toEqual([
        expect.stringMatching(
          `endpoint-without-scheme: .* Write "https://${host}", or "/${host}" for a path.`,
        ),
      ])
    },
  )

  it.each([endpoint, '/w', 'w', './w', 'https://localhost:8787'])(
    'with the endpoint %s are right',
    (given) => {
      expect(said({ endpoint: given })).toEqual([])
    },
  )

  it('that hold a misspelt data-api-key are told how it is written', () => {
    expect(said({ endpoint, apikey: 'pk' })).toEqual([expect.stringContaining('Did you mean data-api-key')])
  })

  it('that are like no other are named with all that there are', () => {
    expect(said({ endpoint, batch: { zebra: 1 } })).toEqual([
      expect.stringContaining('maxEvents, maxBytes, intervalMs'),
    ])
  })

  it('of the wrong type are named, with the right one', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    const wrong = {
      batch: { maxEvents: '5' },
      environment: null,
      url: { keepParams: 'utm_*', redact: 'no' },
      consent: 'yes',
      queue: 5,
      insertId: true,
      plugins: 'campaign',
      beforeSend: circle,
      debug: 'true',
      session: { idleMs: NaN },
    }
    expect(
      said({ endpoint, ...wrong }).map((text) => /"(.*?)" has to be (.*?);/.exec(text)?.slice(1)),
    ).toEqual([
      ['batch.maxEvents', 'a number, like 20'],
      ['environment', 'a string'],
      ['url.keepParams', 'a list'],
      ['url.redact', 'a function'],
      ['consent', 'one of "granted", "denied", "pending", "anonymous"'],
      ['queue', expect.stringContaining('an object, like {"maxEvents":10000')],
      ['insertId', "a property's name, or false"],
      ['plugins', 'a list'],
      ['beforeSend', 'a function'],
      ['debug', 'a boolean'],
      ['session.idleMs', 'a number, like 1800000'],
    ])
  })

  it('are not confused by names that every object has', () => {
    expect(said({ endpoint, constructor: 1, toString: 2 })).toHaveLength(2)
  })

  it.each([null, undefined])('may be %s', (given) => {
    expect(said(given)).toEqual([])
  })
})

it('configure names what it does not change, and changes the rest', async () => {
  const world = createWorld()
  const waymark = withChecks(world.openTab().create()).init('pk_test', { endpoint })
  waymark.configure({ release: '2', consent: 'denied', relaese: '3' } as never)
  expect(warn.mock.calls.map(([text]) => text)).toEqual([
    expect.stringContaining('"relaese"'),
    expect.stringMatching(/invalid-option.* consent/),
  ])
  waymark.track('A')
  await world.advance(5000)
  expect(world.service.events()[0]!.properties).toMatchObject({ $release: '2' })
})

const plugin = (more: Partial<Plugin>): Plugin => ({ name: 'theirs', ...more })
const fail = (): never => {
  throw new Error('no')
}

/** Each code that a call can bring about, how, and what its words name. */
const wrong: [code: string, act: (waymark: Waymark) => unknown, says: string][] = [
  ['invalid-event-name', (w) => w.track(''), 'its name is empty'],
  ['event-name-too-long', (w) => w.track('x'.repeat(401)), 'xxx…'],
  ['property-name-too-long', (w) => w.track('A', { ['p'.repeat(401)]: 1 }), 'ppp…'],
  ['trait-name-too-long', (w) => w.identify('ann', { ['t'.repeat(401)]: 1 }), 'ttt…'],
  ['unknown-built-in-property', (w) => w.track('A', { $mine: 1 }), 'Name it "mine"'],
  ['invalid-user-id', (w) => w.identify('undefined'), '"undefined" cannot be a user'],
  ['invalid-properties', (w) => w.track('A', 'text' as never), 'text is not an object'],
  ['invalid-timestamp', (w) => w.track('A', {}, { timestamp: 'yesterday' }), 'yesterday'],
  ['not-identified', (w) => w.updateTraits({ plan: 'pro' }), 'identify()'],
  ['before-send-failed', (w) => [w.configure({ beforeSend: fail }), w.track('A')], 'Error: no'],
  ['plugin-failed', (w) => w.use(plugin({ start: fail })), 'theirs: Error: no'],
  ['unreadable', (w) => w.track('A', new Proxy({}, { ownKeys: fail })), 'Error: no'],
  ['internal', (w) => [w.on('consent', fail), w.setConsent('pending')], 'Error: no'],
  ['already-initialised', (w) => w.init('pk_other', { endpoint }), 'pk_other'],
]

describe('the words of an error', () => {
  it.each(wrong)('%s: what happened, why, what to do, and where it is explained', async (code, act, says) => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = withChecks(tab.create()).init('pk_test', { endpoint, debug: true })
    const errors: Signals['error'][] = []
    waymark.on('error', (error) => errors.push({ ...error }))
    await waymark.ready()
    act(waymark)
    await world.advance(1000)
    expect(errors).toEqual([{ code, message: expect.stringContaining(says) }])
    expect(errors[0]!.message).toMatch(/^[A-Z].*\. .*\.$/)
    expect(tab.warnings).toEqual([`[waymark] ${code}: ${errors[0]!.message} (see docs/errors.md#${code})`])
  })

  it.each([
    ['missing-api-key', '', { endpoint }],
    ['missing-endpoint', 'pk', {}],
    ['missing-endpoint', 'pk', { endpoint: 'https://' }],
  ])('%s is put into words before there is an instance', (code, key, config) => {
    const tab = createWorld().openTab()
    withChecks(tab.create()).init(key, config as InitConfig)
    expect(tab.warnings).toEqual([expect.stringMatching(`${code}: Nothing is sent, because .*#${code}`)])
  })

  it.each([
    ['http-401', 401, '{}', 'API key'],
    ['environment-not-found', 400, '{"ok":false,"error_code":"environment-not-found"}', 'environment'],
    ['http-404', 404, 'Not found', 'endpoint'],
  ])('%s says what the service does not know, and that nothing is lost', async (code, status, body, says) => {
    const world = createWorld()
    world.service.become({ kind: 'answers', status, body })
    const tab = world.openTab()
    tab.init({ plugins: [checks()] }).track('A')
    await world.advance(10_000)
    expect(tab.warnings).toEqual([expect.stringContaining(`[waymark] ${code}: `)])
    for (const text of [says, 'production', 'events are kept', `#${code}`])
      expect(tab.warnings[0]).toContain(text)
  })

  it('unreachable names the address, once for each time that the service is away', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = withChecks(tab.create()).init('pk_test', { endpoint, debug: true })
    for (let outage = 0; outage < 2; outage++) {
      world.service.become({ kind: 'down' })
      waymark.track('A')
      await world.advance(10_000)
      world.service.become({ kind: 'well' })
      await world.advance(60_000)
    }
    const one = expect.stringMatching(`unreachable: No answer came from ${endpoint}/: .*#unreachable\\)$`)
    expect(tab.warnings).toEqual([one, one])
  })

  it('lead to a part of docs/errors.md that is there', () => {
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
    const headings = [...read('docs/errors.md').matchAll(/^### (.+)$/gm)].map(([, code]) => code)
    const known = [...read('src/plugins/checks.ts').matchAll(/^  '?([\w-]+)'?: \(/gm)].map(([, code]) => code)
    expect(known.length).toBeGreaterThan(20)
    expect(headings.toSorted((a, b) => a!.localeCompare(b!))).toEqual(
      [
        ...known,
        'unknown-option',
        'invalid-option',
        'too-old-browser',
        'endpoint-without-scheme',
        'timestamp-in-seconds',
        'foreign-built-ins',
        'no-page',
        // The codes below are those of waymark/node.
        ...['memory-only', 'disk-refuses', 'no-visitor'],
      ].toSorted((a, b) => a!.localeCompare(b!)),
    )
    // A code that the core tells must have words.
    const core = ['capture', 'waymark', 'plugins', 'signals', 'delivery']
      .map((file) => read(`src/core/${file}.ts`))
      .join('')
    for (const [, code] of core.matchAll(/(?:complain\(w, |refuse\(|code = )'([\w-]+)'/g))
      expect(known).toContain(code)
  })
})
