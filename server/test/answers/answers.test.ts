import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyAnalytics } from '../../src/analytics/applyAnalytics.js'
import { buildSessions, foldEvents } from '../../src/schema/applySessions.js'
import { InsertIdWindow } from '../../src/analytics/InsertIdWindow.js'
import { openAnalytics } from '../../src/analytics/openAnalytics.js'
import { makeAllEvents } from '../../src/archive/allEvents.js'
import { archiveEvents } from '../../src/archive/archiveEvents.js'
import { Logger } from '../../src/Logger.js'
import { quoteText } from '../../src/duckdb/quote.js'
import { createMutex, inTransaction } from '../../src/duckdb/transactions.js'
import { entriesOf, eventNames, historyAt, moments, type Step, timestampAt, zones } from './histories.js'
import type { Condition } from '../../src/answers/Parameter.js'
import { readAsk, statementOf } from '../../src/answers/answers.js'
import { counting, explore, rolling, rollingQuestion, withEarlier } from './measures.js'
import * as oracle from './oracle.js'
import { eventsOfSegment, peopleOfSegment, segment, sessionsOfSegment } from './segments.js'
import { type Asked, readHistory, type Seen } from './readHistory.js'
import { rounds } from '../fixtures/share.js'

const folder = mkdtempSync(join(tmpdir(), 'waymark-answers-'))
const archive = {
  path: join(folder, 'archive'),
  temp: join(folder, 'temp'),
  isShared: false,
  damaged: new Set<string>(),
}
let archived = 0
let instance: DuckDBInstance
let connection: DuckDBConnection
let window: InsertIdWindow

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
  await connection.run(`SET TimeZone = 'Asia/Tokyo'`)
  await connection.run("ATTACH ':memory:' AS analytics")
  await openAnalytics(connection, archive)
  window = new InsertIdWindow({ folder: join(folder, 'insert-ids'), windowMs: 1000 })
  window.open(0, 0n)
})
afterAll(() => {
  instance.closeSync()
  rmSync(folder, { recursive: true, force: true })
})

/** Moves events to files, as if some had been received when they happened, and others hours or days later. */
const moveToArchive = async (salt: number): Promise<void> => {
  await connection.run(`UPDATE analytics.raw.events
    SET received_at = "timestamp" + to_hours(((hash(seq, ${salt}) % 5) * (hash(seq) % 60))::BIGINT)
    WHERE hash(seq, ${salt}, 'some') % 4 > 0`)
  const { run } = archiveEvents({
    archive,
    // Whatever day it is.
    afterDays: -100_000,
    oneAtATime: createMutex(),
    logger: new Logger('silent'),
    sliceEvents: 30,
  })
  await run(connection, () => false)
  const files = await connection.runAndReadAll('FROM analytics.raw.archived_files')
  archived += files.currentRowCount
}

interface Stored {
  steps: readonly Step[]
  /** How many of them the applier takes at first. */
  cut: number
  /** Whether the sessions' table has the events, and not only the raw rows. */
  isFolded: boolean
  /** Which of the events are moved to the archive, if any. */
  salt: number | null
}

/** Stores a history in one or more runs, by the service's own applier, and reads it by plain loops. */
const store = async ({ steps, cut, isFolded, salt }: Stored): Promise<Seen[]> => {
  for (const table of ['events', 'archived_files', 'id_map', 'traits', 'persons']) {
    await connection.run(`DELETE FROM analytics.raw.${table}`)
  }
  await makeAllEvents(connection, archive)
  await buildSessions(connection)
  const apply = applyAnalytics({ window })
  const entries = entriesOf(steps)
  for (const run of [entries.slice(0, cut), entries.slice(cut)]) {
    if (run.length > 0) await inTransaction(connection, () => apply(connection, run))
    if (isFolded) await inTransaction(connection, () => foldEvents(connection))
  }
  const verdicts = await connection.runAndReadAll(
    'SELECT seq, bot FROM analytics.raw.events WHERE bot IS NOT NULL',
  )
  if (salt !== null) await moveToArchive(salt)
  const reader = await connection.runAndReadAll(
    'SELECT environment, person_id, traits::VARCHAR, epoch_ms(first_seen) FROM analytics.main.persons',
  )
  const persons = new Map(
    reader
      .getRows()
      .map(([environment, person, ...known]) => [`${String(environment)} ${String(person)}`, known]),
  )
  const bots = new Map(verdicts.getRows().map(([seq, bot]) => [Number(seq), bot as string]))
  return readHistory(steps, bots).map((each) => {
    const [traits = '{}', firstSeen] = persons.get(`${each.environment} ${each.person}`) ?? []
    return {
      ...each,
      traits: JSON.parse(String(traits)) as Record<string, string>,
      firstSeen: Number(firstSeen),
    }
  })
}

const literal = (value: unknown): string =>
  value === null
    ? 'NULL'
    : Array.isArray(value)
      ? `[${value.map(literal).join(', ')}]`
      : typeof value === 'number' || typeof value === 'boolean'
        ? String(value)
        : quoteText(String(value))
const moment = (ms: number | null): string => (ms === null ? 'NULL' : `make_timestamptz(${ms * 1000})`)

const sorted = (rows: readonly (readonly unknown[])[]): string[] =>
  rows.map((row) => JSON.stringify(row)).toSorted()

/** Numbers as JavaScript's, moments in UTC. */
const ask = async (sql: string): Promise<string[]> => {
  const reader = await connection.runAndReadAll(sql)
  const types = reader.columnTypes().map(String)
  return sorted(
    reader.getRowsJson().map((row) =>
      row.map((value, at) => {
        if (value === null) return null
        if (types[at] === 'BIGINT') return Number(value)
        return types.at(at)!.includes('TIME ZONE') ? new Date(value as string).toISOString() : value
      }),
    ),
  )
}

const askedAt = (at: readonly number[]): fc.Arbitrary<Asked> => {
  const bound = fc.option(timestampAt(at), { freq: 2 })
  return fc.record({
    from: bound,
    until: bound,
    environment: fc.constantFrom('production', 'production', 'production', 'staging'),
    bots: fc.boolean(),
    zone: fc.constantFrom(...zones),
  })
}
const named = fc.option(fc.constantFrom('$pageview', ...eventNames, '/', '/cart', 'nobody does this'))
const property = fc.constantFrom('$utm_source', '$os', 'a/b~$c', 'none', '$url', '$path', '$event')
/** How many values are wanted. Up to 64 are counted by bits. */
const most = fc.option(fc.constantFrom(0, 1, 2, 3, 64, 65), { freq: 3 })

const choiceSql = ({ from, until, environment, bots }: Asked) =>
  `from_time := ${moment(from)}, until_time := ${moment(until)}, environment := '${environment}', bots := ${bots}`
const zonedSql = (each: Asked) => `${choiceSql(each)}, time_zone := '${each.zone}'`

interface Case {
  sql: string
  expected: (all: readonly Seen[]) => readonly (readonly unknown[])[]
}

/** The statement of an answer that has a name, of a segment. */
const statementFor = (name: string, { from, until, environment, bots }: Asked, more: object): string => {
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  return statementOf(readAsk({ name, environment, bots, from: iso(from), until: iso(until), ...more }))
}

/** Without an end, the last days are those before now. */
const settled = (where: readonly Condition[], { until }: Asked): Condition[] =>
  where.map(({ days, ...rest }) =>
    days === undefined || (until === null && rest.after === undefined) ? rest : { ...rest, days },
  )

/** Few events are left by most segments. */
const someSegment = fc.option(segment, { nil: [], freq: 1 })

const chained = {
  steps: fc.array(fc.constantFrom('$pageview', 'Viewed', 'Viewed', 'Ordered', '/', '/cart'), {
    minLength: 1,
    maxLength: 4,
    size: 'max',
  }),
  withinMs: fc.option(fc.constantFrom(0, 1, 1_800_000, 7_200_001, 86_400_000, 8 * 86_400_000)),
}
const chainSql = ({ steps, withinMs }: { steps: string[]; withinMs: number | null }) =>
  `${literal(steps)}, ${withinMs === null ? 'NULL' : `INTERVAL ${withinMs} MILLISECOND`}`

const casesOf = (asked: fc.Arbitrary<Asked>): fc.Arbitrary<Case>[] =>
  Object.values<fc.Arbitrary<Case>>({
    sessions: fc.constant({
      sql: 'FROM analytics.main.sessions',
      expected: (all) =>
        oracle
          .sessions(all)
          .filter((row) => row.at(-1) === null)
          .map((row) => row.slice(0, -1)),
    }),
    'sessions of a range': asked.map((a) => ({
      sql: `FROM analytics.main.sessions(${choiceSql(a)})`,
      expected: (all) => oracle.sessionsOfRange(all, a),
    })),
    all_sessions: fc.constant({
      sql: 'SELECT * EXCLUDE (suspect) FROM analytics.main.all_sessions',
      expected: oracle.sessions,
    }),
    page_views: fc.constant({
      sql: `SELECT environment, event_id, timestamp, person_id, session_id, device_id, url, host, path, referrer,
      referrer_host, utm_source, utm_campaign, browser, os, bot FROM analytics.main.page_views`,
      expected: oracle.pageViews,
    }),
    errors: fc.constant({
      sql: `SELECT environment, event_id, person_id, path, message, name, bot FROM analytics.main.errors`,
      expected: oracle.errors,
    }),
    web_vitals: asked.map((a) => ({
      sql: `SELECT event_id, timestamp, person_id, session_id, path, browser, metric, value, rating
        FROM analytics.main.web_vitals(${choiceSql(a)})`,
      expected: (all) => oracle.webVitals(all, a),
    })),
    daily: asked.map((a) => ({
      sql: `FROM analytics.main.daily(${zonedSql(a)})`,
      expected: (all) => oracle.daily(all, a),
    })),
    totals: asked.map((a) => ({
      sql: `FROM analytics.main.totals(${choiceSql(a)})`,
      expected: (all) => oracle.totals(all, a),
    })),
    breakdown: fc.tuple(asked, named, property, fc.boolean(), most).map(([a, event, of, people, many]) => ({
      sql: `FROM analytics.main.breakdown(${literal(event)}, ${literal(of)}, ${choiceSql(a)}, people := ${people}, most := ${literal(many)})`,
      expected: (all) =>
        oracle
          .breakdown(all, a, event, of)
          .slice(0, many ?? Infinity)
          .map(([value, count, events]) => [value, people ? count : null, events]),
    })),
    session_breakdown: fc
      .tuple(asked, fc.option(fc.constantFrom(...oracle.sessionTexts.keys())), fc.boolean())
      .map(([a, column, people]) => ({
        sql: `FROM analytics.main.session_breakdown(${literal(column)}, ${choiceSql(a)}, people := ${people})`,
        expected: (all) =>
          oracle
            .sessionBreakdown(all, a, column)
            .map(([value, count, ...rest]) => [value, people ? count : null, ...rest]),
      })),
    first_touch: asked.map((a) => ({
      sql: `FROM analytics.main.first_touch(${choiceSql(a)})`,
      expected: (all) => oracle.firstTouch(all, a),
    })),
    last_touch: asked.map((a) => ({
      sql: `FROM analytics.main.last_touch(${choiceSql(a)})`,
      expected: (all) => oracle.lastTouch(all, a),
    })),
    paths: fc
      .tuple(asked, fc.option(fc.constantFrom('/', '/cart', '/none')), fc.integer({ min: 1, max: 4 }))
      .map(([a, start, depth]) => ({
        sql: `FROM analytics.main.paths(${literal(start)}, ${depth}, ${choiceSql(a)})`,
        expected: (all) => oracle.paths(all, a, start, depth),
      })),
    retention: fc
      .tuple(
        asked,
        named,
        named,
        fc.constantFrom('day' as const, 'week' as const, 'month' as const),
        fc.boolean(),
      )
      .map(([a, first, back, unit, everybody]) => ({
        sql: `FROM analytics.main.retention(${literal(first)}, ${literal(back)}, '${unit}', ${zonedSql(a)}, everybody := ${everybody})`,
        expected: (all) => oracle.retention(all, a, { first, back, unit, everybody }),
      })),
    funnel: fc.record({ a: asked, ...chained, breakdown: fc.option(property) }).map(({ a, ...question }) => ({
      sql: `FROM analytics.main.funnel(${chainSql(question)},
        breakdown := ${literal(question.breakdown)}, ${choiceSql(a)})`,
      expected: (all) => oracle.funnel(all, a, question),
    })),
    'totals of a segment': fc
      .tuple(asked, segment)
      .map(([a, where]) => [a, settled(where, a)] as const)
      .map(([a, where]) => ({
        sql: `SELECT people, sessions, page_views, events FROM (${statementFor('totals', a, { where })})`,
        expected: (all) => oracle.totals(eventsOfSegment({ all, asked: a, where }, true), a),
      })),
    'sessions of a segment': fc
      .tuple(asked, segment)
      .map(([a, where]) => [a, settled(where, a)] as const)
      .map(([a, where]) => ({
        sql: `SELECT sessions FROM (${statementFor('sessions', a, { where, by: 'channel' })}) WHERE channel = 'direct'`,
        expected: (all) => {
          const direct = sessionsOfSegment({ all, asked: a, where }).filter((row) => row[15] === 'direct')
          return direct.length === 0 ? [] : [[direct.length]]
        },
      })),
    'events of a segment': fc
      .tuple(asked, segment)
      .map(([a, where]) => [a, settled(where, a)] as const)
      .map(([a, where]) => ({
        sql: statementFor('explore', a, { where }),
        expected: (all) => [[eventsOfSegment({ all, asked: a, where }, false).length]],
      })),
    measures: fc.tuple(asked, someSegment, counting).map(([a, given, asking]) => {
      const where = settled(given, a)
      const traits = asking.by === 'person_id' && asking.interval === null ? 'EXCLUDE (traits)' : ''
      return {
        sql: `SELECT * ${traits} REPLACE (round(figure, 6) AS figure) FROM (${statementFor('explore', a, { where, ...asking })})`,
        expected: (all: readonly Seen[]) => explore(eventsOfSegment({ all, asked: a, where }, false), asking),
      }
    }),
    'people of days': fc.tuple(asked, someSegment, rollingQuestion).map(([a, given, asking]) => {
      const where = settled(given, a)
      const traits = asking.by === 'person_id' && asking.interval === null ? 'EXCLUDE (traits)' : ''
      return {
        sql: `SELECT * ${traits} REPLACE (round(figure, 6) AS figure) FROM (${statementFor('explore', a, { where, ...asking })})`,
        expected: (all: readonly Seen[]) =>
          rolling(eventsOfSegment({ all, asked: withEarlier(a, asking), where }, false), a, asking),
      }
    }),
    'people of a segment': fc
      .tuple(asked, segment)
      .map(([a, where]) => [a, settled(where, a)] as const)
      .map(([a, where]) => ({
        sql: `SELECT person_id FROM (${statementFor('people', a, { where, most: 1000 })}) WHERE events > 0`,
        expected: (all) => [...peopleOfSegment({ all, asked: a, where })].map((person) => [person]),
      })),
    'funnel of a segment': fc
      .tuple(
        asked,
        segment,
        chained.steps,
        fc.constantFrom(0.5, 24, 192),
        fc.array(fc.option(segment), { maxLength: 3 }),
      )
      .map(([a, given, steps, hours, lists]) => {
        const where = settled(given, a)
        // A step may lie behind the end of the time.
        const open = { ...a, until: null }
        const conditions = lists.map((each) => settled(each ?? [], open))
        return {
          sql: statementFor('funnel', a, { where, steps, within_hours: hours, step_where: conditions }),
          expected: (all: readonly Seen[]) => {
            const people = peopleOfSegment({ all, asked: a, where })
            const fitting = conditions.map(
              (each) =>
                new Set(eventsOfSegment({ all, asked: open, where: each }, false).map(({ seq }) => seq)),
            )
            const theirs = all.filter(({ person }) => person !== null && people.has(person))
            const counts = ({ seq }: Seen, at: number) => fitting[at]?.has(seq) ?? true
            return oracle.funnel(theirs, a, { steps, withinMs: hours * 3_600_000, breakdown: null, counts })
          },
        }
      }),
    funnelPeople: fc.record({ a: asked, ...chained }).map(({ a, ...question }) => ({
      sql: `SELECT person_id, step, epoch_ms("timestamp")
        FROM analytics.main.funnel_people(${chainSql(question)}, ${choiceSql(a)})`,
      expected: (all) => oracle.funnelPeople(all, a, { ...question, breakdown: null }),
    })),
  })

it('each answer is what plain loops say, for random histories, of which some are in the archive', async () => {
  const asking = moments.chain((at) =>
    fc.record({
      steps: historyAt(at),
      cut: fc.nat({ max: 80 }),
      isFolded: fc.boolean(),
      salt: fc.option(fc.nat({ max: 1000 }), { freq: 2 }),
      // Storing a history takes longer than asking.
      asks: fc.tuple(...casesOf(askedAt(at)).flatMap((asked) => [asked, asked])),
    }),
  )
  const isAsTold = fc.asyncProperty(asking, async ({ asks, ...history }) => {
    const all = await store(history)
    for (const { sql, expected } of asks) expect(await ask(sql), sql).toEqual(sorted(expected(all)))
  })
  // Not every history is long enough to be moved, and chance may choose none that is.
  for (let tries = 0; tries === 0 || (archived === 0 && tries < 20); tries++)
    await fc.assert(isAsTold, { numRuns: rounds(16) })
  expect(archived).toBeGreaterThan(0)
})

it.each([
  ['LCP', 2500, 4000],
  ['INP', 200, 500],
  ['CLS', 0.1, 0.25],
  ['FCP', 1800, 3000],
  ['TTFB', 800, 1800],
])('vital_rating has the thresholds of web-vitals for %s', async (metric, good, poor) => {
  const rate = (value: number) => `analytics.main.vital_rating('${metric}', ${value}::DOUBLE)`
  const values = [good, good + 0.001, poor, poor + 0.001]
  expect(await ask(`SELECT ${values.map(rate).join(', ')}, analytics.main.vital_rating('else', 1)`)).toEqual(
    sorted([['good', 'needs improvement', 'needs improvement', 'poor', null]]),
  )
})
