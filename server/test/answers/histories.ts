import fc from 'fast-check'
import type { LogEntry } from '../../src/wal/segment.js'

export const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe']

export interface Track {
  environment: string
  event: string
  distinct_id?: string
  anonymous_id?: string
  session_id?: string
  device_id?: string
  timestamp: number
  properties: Record<string, string>
}

export type Step =
  | { kind: 'track'; payload: Track }
  | {
      kind: 'identify'
      payload: {
        environment: string
        distinct_id: string
        anonymous_id?: string
        traits?: Record<string, string>
      }
    }
  | { kind: 'alias'; payload: { environment: string; distinct_id: string; new_user_id: string } }

const minuteMs = 60_000
/** Each is near a midnight or a change of the clocks in one of the zones. */
const all = [
  Date.UTC(2026, 1, 28, 22),
  Date.UTC(2026, 2, 8, 5),
  Date.UTC(2026, 2, 28, 22),
  Date.UTC(2026, 2, 29, 0),
  Date.UTC(2026, 3, 4, 13),
]
/** Few, so that many events happen at once, and some a millisecond apart. */
export const timestampAt = (at: readonly number[]) =>
  fc
    .tuple(fc.constantFrom(...at), fc.integer({ min: 0, max: 7 }), fc.constantFrom(0, 0, 1))
    .map(([moment, halfHours, more]) => moment + halfHours * 30 * minuteMs + more)

export const eventNames = ['$pageview', 'Viewed', 'Ordered', "it's"]
/** Events whose properties the service reads. */
const pluginEvents = ['Page Engaged', 'Page Engaged', 'Web Vital', 'Web Vital', 'Error Caught']
const urls = [
  'https://shop.example/',
  'https://shop.example/cart?step=1',
  'https://ada@shop.example:8443/cart#top',
  'https://shop.example/maps/1',
  'https://shop.example/?utm_source=mail&utm_campaign=a+b%2Bc#?utm_term=no',
  'https://shop.example/cart?gclid=1&utm_medium=cpm',
  'not a url',
]
const referrers = [
  'https://shop.example/',
  'https://search.example/find?q=x',
  'https://bare.example',
  'android-app:mail',
]

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
/** An event seldom says what two ids it is from, or none. */
const ids = fc.oneof(
  { weight: 9, arbitrary: fc.record({ distinct_id: id }) },
  { weight: 6, arbitrary: fc.record({ anonymous_id: id }) },
  { weight: 1, arbitrary: fc.record({ distinct_id: id, anonymous_id: id }) },
  { weight: 1, arbitrary: fc.constant({}) },
)
/** A value as a rule, or seldom one. */
const often = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 9 })
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
const environment = fc.constantFrom(...Array.from({ length: 7 }, () => 'production'), 'staging')
const properties = fc.record({
  $url: often(fc.constantFrom(...urls)),
  $referer: seldom(fc.constantFrom(...referrers)),
  $utm_source: seldom(fc.constantFrom('mail', 'ads')),
  $utm_campaign: seldom(fc.constantFrom('spring', 'fall')),
  $viewport: seldom(fc.constantFrom('390x844', '1280x720')),
  $os: seldom(fc.constantFrom('Linux', 'macOS')),
  $user_agent: fc.constantFrom(
    ...Array.from({ length: 20 }, (_, at) =>
      at % 2 === 0
        ? 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36'
        : 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
    ),
    'curl/8.5.0',
  ),
  'a/b~$c': often(fc.constantFrom('dark', 'light')),
  visible_ms: often(fc.constantFrom('0', '4000', '6000.5', '9999', '9999', 'long')),
  name: often(fc.constantFrom('LCP', 'LCP', 'CLS', 'else')),
  value: often(fc.constantFrom('0.1', '0.2', '200', '2500', '4001', 'slow')),
  id: often(fc.constantFrom('v1', 'v2')),
  message: seldom(fc.constantFrom('x is not a function', '')),
})

const trackAt = (at: readonly number[]) =>
  fc
    .tuple(
      ids,
      fc.record({
        environment,
        event: fc.constantFrom('$pageview', '$pageview', ...eventNames, ...pluginEvents),
        session_id: often(fc.constantFrom('s1', 's2', 's3', 's4', 's5')),
        device_id: often(fc.constantFrom('d1', 'd2')),
        timestamp: timestampAt(at),
        properties,
      }),
    )
    .map(([known, payload]) => ({ kind: 'track' as const, payload: { ...known, ...payload } }))
const identify = fc.record({
  kind: fc.constant('identify' as const),
  payload: fc.record(
    {
      environment,
      distinct_id: id,
      anonymous_id: id,
      traits: fc.constantFrom({ plan: 'Pro' }, { plan: 'free' }),
    },
    { requiredKeys: ['environment', 'distinct_id'] },
  ),
})
const alias = fc.record({
  kind: fc.constant('alias' as const),
  payload: fc.record({ environment, distinct_id: id, new_user_id: id }),
})

/** The moments around which a history happens, and a question about it begins and ends. */
export const moments = fc.subarray(all, { minLength: 1, maxLength: 3 })

/** Events in any order of their times, with merges before, between and after them. */
export const historyAt = (at: readonly number[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 30, arbitrary: trackAt(at) },
      { weight: 1, arbitrary: identify },
      { weight: 1, arbitrary: alias },
    ),
    { maxLength: 80, size: 'max' },
  ) as fc.Arbitrary<Step[]>

/** As the write-ahead log holds them: the first has the number 1. */
export const entriesOf = (steps: readonly Step[]): LogEntry[] =>
  steps.map(({ kind, payload }, at) => ({
    kind,
    first: at + 1,
    count: 1,
    receivedAtMs: 0,
    body: Buffer.from(JSON.stringify([payload])),
  }))
