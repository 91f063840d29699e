import fc from 'fast-check'
import type { LogEntry } from '../../src/wal/segment.js'

export const environments = ['production', 'staging'] as const
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
  | { kind: 'identify'; payload: { environment: string; distinct_id: string; anonymous_id?: string } }
  | { kind: 'alias'; payload: { environment: string; distinct_id: string; new_user_id: string } }

const minuteMs = 60_000
/** Each is near a midnight or a change of the clocks in one of the zones. */
const moments = [
  Date.UTC(2026, 1, 28, 22),
  Date.UTC(2026, 2, 8, 5),
  Date.UTC(2026, 2, 28, 22),
  Date.UTC(2026, 2, 29, 0),
  Date.UTC(2026, 3, 4, 13),
]
/** Few, so that many events happen at once, and some a millisecond apart. */
export const timestamp = fc
  .tuple(fc.constantFrom(...moments), fc.integer({ min: 0, max: 8 }), fc.constantFrom(0, 0, 1))
  .map(([moment, halfHours, more]) => moment + halfHours * 30 * minuteMs + more)

export const eventNames = ['$pageview', 'Viewed', 'Ordered', "it's"]
const urls = [
  'https://shop.example/',
  'https://shop.example/cart?step=1',
  'https://ada@shop.example:8443/cart#top',
  'https://shop.example/maps/1',
  'not a url',
]
const referrers = ['https://shop.example/', 'https://search.example/find?q=x', 'android-app:mail']

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const environment = fc.constantFrom('production', 'production', 'production', 'staging')
const properties = fc.record(
  {
    $url: fc.constantFrom(...urls),
    $referer: fc.constantFrom(...referrers),
    $utm_source: fc.constantFrom('mail', 'ads'),
    $utm_campaign: fc.constantFrom('spring', 'fall'),
    $os: fc.constantFrom('Linux', 'macOS'),
    $user_agent: fc.constantFrom('x Chrome/142.0 Safari/537', 'x Firefox/145.0', 'curl'),
    'a/b~$c': fc.constantFrom('dark', 'light'),
  },
  { requiredKeys: [] },
)

const track = fc.record({
  kind: fc.constant('track' as const),
  payload: fc.record(
    {
      environment,
      event: fc.constantFrom('$pageview', ...eventNames),
      distinct_id: id,
      anonymous_id: id,
      session_id: fc.constantFrom('s1', 's2', 's3', 's4'),
      device_id: fc.constantFrom('d1', 'd2'),
      timestamp,
      properties,
    },
    { requiredKeys: ['environment', 'event', 'timestamp', 'properties'] },
  ),
})
const identify = fc.record({
  kind: fc.constant('identify' as const),
  payload: fc.record(
    { environment, distinct_id: id, anonymous_id: id },
    { requiredKeys: ['environment', 'distinct_id'] },
  ),
})
const alias = fc.record({
  kind: fc.constant('alias' as const),
  payload: fc.record({ environment, distinct_id: id, new_user_id: id }),
})

/** Events in any order of their times, with merges before, between and after them. */
export const history: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 14, arbitrary: track },
    { weight: 1, arbitrary: identify },
    { weight: 1, arbitrary: alias },
  ),
  { minLength: 0, maxLength: 70 },
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
