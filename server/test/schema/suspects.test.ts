import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { applyAnalytics } from '../../src/analytics/applyAnalytics.js'
import { InsertIdWindow } from '../../src/analytics/InsertIdWindow.js'
import { openAnalytics } from '../../src/analytics/openAnalytics.js'
import { answers } from '../../src/answers/answers.js'
import { askRaw } from '../fixtures/askRaw.js'
import { basic, type Body, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36'
const day = Date.UTC(2026, 2, 2)
const second = 1000
const minute = 60 * second

interface Visit {
  id: string
  /** After the beginning of the day. */
  atMs?: number
  viewport?: string | null
  language?: string
  pages?: number
  everyMs?: number
  /** What the plugin engagement tells at the end. */
  visibleMs?: number
}

const eventsOf = ({
  id,
  atMs = 0,
  viewport = '390x844',
  pages = 1,
  everyMs = 0,
  visibleMs,
}: Visit): Body[] => {
  const at = (ms: number, name: string, properties: Body) =>
    event(name, {
      ...{ anonymous_id: `v-${id}`, session_id: `s-${id}`, device_id: `d-${id}`, timestamp: day + atMs + ms },
      properties: { ...(viewport !== null && { $viewport: viewport }), ...properties },
    })
  const views = Array.from({ length: pages }, (_, n) =>
    at(n * everyMs, '$pageview', { $url: `https://shop.example/${n % 7}` }),
  )
  const end = visibleMs === undefined ? [] : [at(visibleMs, 'Page Engaged', { visible_ms: visibleMs })]
  return [...views, ...end]
}

const send = async (service: Service, visits: readonly Visit[]) => {
  const languages = new Set(visits.map(({ language = 'de-AT' }) => language))
  for (const language of languages) {
    const some = visits.filter((visit) => (visit.language ?? 'de-AT') === language)
    const { status } = await service.ingest('/track?sync=true', some.flatMap(eventsOf), {
      'user-agent': chrome,
      'accept-language': language,
    })
    expect(status).toBe(200)
  }
}
const crowd = (name: string, count: number, more: Omit<Visit, 'id'> = {}): Visit[] =>
  Array.from({ length: count }, (_, n) => ({
    ...more,
    id: `${name}-${n}`,
    atMs: (more.atMs ?? 0) + n * second,
  }))

/** Whoever stays shows that the pages tell of it. */
const reader: Visit = { id: 'reader', viewport: '1280x720', visibleMs: 20 * minute }
/** With it a visit is judged, which may else stay. */
const later = (days = 1): Visit => ({ id: `later-${days}`, atMs: days * 86_400_000, viewport: '1440x900' })

const suspectsOf = async (service: Service) => {
  const { rows } = await service.query(
    `SELECT regexp_extract(session_id, 's-([a-z]+)', 1) AS who, suspect, count(*)::INTEGER
     FROM all_sessions WHERE suspect IS NOT NULL GROUP BY ALL ORDER BY ALL`,
  )
  return rows
}

describe('a visit is a suspect', () => {
  const judge = async (...visits: Visit[]) => {
    const service = await createService()
    try {
      await send(service, visits)
      return await suspectsOf(service)
    } finally {
      await service.close()
    }
  }
  const fast = 'pages faster than people read'
  const alike = 'many visits alike that end at once'

  it.each<[string, Visit[], unknown[][]]>([
    ['with a page each second', [{ id: 'headless', pages: 40, everyMs: second }], [['headless', fast, 1]]],
    ['not by few fast pages', [{ id: 'skimmer', pages: 29, everyMs: second }], []],
    ['not by many pages', [{ id: 'buyer', pages: 60, everyMs: 3 * second }], []],
    ['in a crowd of visits that end at once', crowd('crowd', 25), [['crowd', alike, 25]]],
    ['not in a small crowd', crowd('few', 19), []],
    ['not where one reads for long', crowd('readers', 40, { visibleMs: 10 * minute }), []],
    [
      'not where others that look so stay',
      [...crowd('one', 25), ...crowd('two', 3, { visibleMs: minute })],
      [],
    ],
    [
      'not where they look differently',
      [...crowd('here', 15), ...crowd('there', 15, { language: 'fr' })],
      [],
    ],
    ['not on two days', [...crowd('first', 15), ...crowd('second', 15, { atMs: 86_400_000 })], []],
    ['not where a server sends it', crowd('server', 40, { viewport: null }), []],
    ['not before it may have stayed', crowd('open', 40, { atMs: 86_400_000 - 10 * minute }), []],
  ])('%s', async (_, visits, expected) => {
    const isOpen = visits.at(0)?.id.startsWith('open') === true
    expect(await judge(reader, later(), ...(isOpen ? [] : [later(2)]), ...visits)).toEqual(expected)
  })

  it('not on a site that tells of no stay', async () => {
    expect(await judge(later(), ...crowd('quiet', 40))).toEqual([])
  })

  it('not where it is known to be a bot', async () => {
    const service = await createService()
    try {
      await send(service, [reader, later()])
      await service.ingest('/track?sync=true', crowd('bots', 40).flatMap(eventsOf), {
        'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      })
      expect(await suspectsOf(service)).toEqual([])
    } finally {
      await service.close()
    }
  })
})

describe('suspects that are left out', () => {
  const people: Visit[] = [
    reader,
    later(),
    later(2),
    ...crowd('person', 12, { viewport: '1280x720', pages: 3, everyMs: 20 * second, visibleMs: 2 * minute }),
  ]
  const programs: Visit[] = [
    ...crowd('program', 30),
    { id: 'headless', pages: 90, everyMs: second, viewport: '800x600', language: 'en' },
  ]
  const [all, peopleAlone] = [useService(), useService()]
  const save = (value: Body | null, name = 'production') =>
    all.ask('/saved', { kind: 'exclusion', name, value })

  beforeAll(async () => {
    for (const service of [all, peopleAlone]) {
      await send(service, people)
      await service.ask('/saved', { kind: 'goal', name: 'An order', value: { event: 'Page Engaged' } })
    }
    await send(all, programs)
  })

  /** What differs between stores that were filled apart, and what is not about counting. */
  const apart = new Set(
    'newest_events timeline caught_errors saved arrivals person_events alerts imports has_events'.split(' '),
  )
  const asked = answers.filter(
    ({ name, parameters }) => 'bots' in parameters && !apart.has(name) && name !== 'bot_events',
  )
  const answersOf = async (service: Service, more: Body = {}) => {
    const rows = asked.map(async ({ name, example }) => {
      const body = { name, ...example, ...more, cache: false }
      const { status, body: text } = await askRaw(service.url, {
        ...{ method: 'POST', path: '/answer', headers: { authorization: basic }, body },
      })
      expect([name, status]).toEqual([name, 200])
      return [name, text.split('\n').slice(2)]
    })
    return Object.fromEntries((await Promise.all(rows)) as [string, string[]][])
  }

  it('are in no answer, as if they had never come; and are back in all once they count again', async () => {
    const before = await answersOf(all)
    const without = await answersOf(peopleAlone)
    expect(before).not.toEqual(without)
    expect(await suspectsOf(all)).toHaveLength(2)

    expect(await save({ suspects: true })).toMatchObject({ status: 200 })
    expect(await answersOf(all)).toEqual(without)
    // Whoever asks for bots gets them, too.
    expect(await answersOf(all, { bots: true })).toEqual(before)
    const { rows } = await all.query(
      `SELECT bot, count(DISTINCT session_id)::INTEGER FROM events WHERE bot IS NOT NULL GROUP BY 1 ORDER BY 1`,
    )
    expect(rows).toEqual([
      ['suspect: many visits alike that end at once', 30],
      ['suspect: pages faster than people read', 1],
    ])
    await all.restart()
    expect(await answersOf(all)).toEqual(without)
    expect((await all.query('SELECT count(*)::INTEGER FROM sessions')).rows).toEqual([[people.length]])

    expect(await save(null)).toMatchObject({ status: 200 })
    expect(await answersOf(all)).toEqual(before)
  })

  it('are left out of one environment alone', async () => {
    await save({ suspects: true }, 'staging')
    try {
      expect((await all.query('SELECT count(*)::INTEGER FROM sessions')).rows).toEqual([
        [people.length + programs.length],
      ])
    } finally {
      await save(null, 'staging')
    }
  })

  it.each<[string, Body]>([
    ['name', { name: 'nowhere', value: { suspects: true } }],
    ['suspects', { name: 'production', value: { suspects: false } }],
    ['suspects', { name: 'production', value: {} }],
  ])('are chosen by a name and a value: %s is told', async (field, body) => {
    const { status, body: answer } = await all.ask('/saved', { kind: 'exclusion', ...body })
    expect([status, answer['message']]).toEqual([400, expect.stringContaining(field)])
  })
})

it('suspects that come while they are left out are judged once an hour', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-suspects-'))
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    await connection.run("ATTACH ':memory:' AS analytics")
    await openAnalytics(connection)
    const window = new InsertIdWindow({ folder, windowMs: 1000 })
    window.open(0, 0n)
    const apply = applyAnalytics({ window })
    let first = 1
    const accept = async (kind: 'track' | 'save', receivedAtMs: number, rows: readonly Body[]) => {
      const body = Buffer.from(JSON.stringify(rows))
      const target = kind === 'save' ? JSON.stringify({ user: 'ada' }) : JSON.stringify({ browser: 'Chrome' })
      await apply(connection, [{ kind, first, count: rows.length, receivedAtMs, body, target }])
      first += rows.length
    }
    const countOf = async () => {
      const found = await connection.runAndReadAll('SELECT count(*)::INTEGER FROM analytics.main.sessions')
      return found.getRows().flat()
    }
    const hour = 60 * minute
    const now = day + 24 * hour
    const exclusion = { kind: 'exclusion', name: 'production', value: { suspects: true } }
    await accept('save', now, [exclusion])
    await accept('track', now + minute, [reader, later(), ...crowd('program', 30)].flatMap(eventsOf))
    expect(await countOf()).toEqual([32])
    await accept('track', now + 59 * minute, eventsOf({ id: 'else', atMs: 24 * hour, pages: 2 }))
    expect(await countOf()).toEqual([33])
    await accept('track', now + hour, eventsOf({ id: 'more', atMs: 24 * hour, pages: 2 }))
    expect(await countOf()).toEqual([4])
  } finally {
    instance.closeSync()
    rmSync(folder, { recursive: true, force: true })
  }
})
