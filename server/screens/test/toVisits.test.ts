import { describe, expect, it } from 'vitest'
import { toVisits } from '../src/pages/persons/toVisits'

const names = [
  'event_id',
  'timestamp',
  'event',
  'session_id',
  'url',
  'referrer',
  'utm_source',
  'browser',
  'bot',
]
const columns = names.map((name) => ({ name, type: 'VARCHAR' }))

describe('toVisits', () => {
  it('puts the events of sessions together that took place side by side, and says where each came from', () => {
    const visits = toVisits({
      queryId: '',
      sessionId: '',
      statement: '',
      columns,
      rows: [
        [4, '2026-07-01T10:03:00Z', 'd', 'phone', null, null, null, null, 'automation'],
        [3, '2026-07-01T10:02:00Z', 'c', 'desk', null, 'https://shop.example/', null, 'Firefox', null],
        [
          2,
          '2026-07-01T10:01:00Z',
          'b',
          'phone',
          'https://shop.example/',
          'https://shop.example/a',
          null,
          'Safari',
          null,
        ],
        [
          1,
          '2026-07-01T10:00:00Z',
          'a',
          'desk',
          null,
          'https://search.example/?q=1',
          'mail',
          'Firefox',
          null,
        ],
        [0, '2026-07-01T09:00:00Z', 'z', null, null, null, null, null, null],
      ],
    })
    expect(
      visits.map(({ sessionId, events }) => [sessionId, events.map(({ event }) => event).join('')]),
    ).toEqual([
      ['phone', 'db'],
      ['desk', 'ca'],
      [null, 'z'],
    ])
    expect(visits[1]).toMatchObject({ source: 'search.example · mail', agent: 'Firefox', bot: null })
    expect(visits[0]).toMatchObject({ source: '', agent: 'Safari', bot: 'automation' })
  })
})
