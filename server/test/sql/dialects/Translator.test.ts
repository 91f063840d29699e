import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeMeanings } from '../../../src/sql/dialects/mendSource.js'
import { Translator } from '../../../src/sql/dialects/Translator.js'
import { createService, type Service } from '../../fixtures/createService.js'
import { eventually } from '../../fixtures/eventually.js'

/** Each asks with a signal of its own, as requests do. */
const newSignal = () => new AbortController().signal
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const hasEnded = (pid: number) => eventually(() => expect(isAlive(pid)).toBe(false))

/** It takes the transpiler seconds. */
const slow = `SELECT 1 WHERE a${' OR a'.repeat(40_000)}`
/** The transpiler breaks on this one. */
const breaking = 'SELECT if(a = 1, 1, 2)'

describe('what calls mean', () => {
  it('grows with their number, not with the power of how deep they are', () => {
    const nested = (depth: number) => `SELECT ${'waymark_concat(a, '.repeat(depth)}b${')'.repeat(depth)}`
    expect(writeMeanings(nested(5), 'mysql')).toMatch(/^SELECT CASE WHEN a IS NULL/)
    expect(writeMeanings(nested(20), 'mysql')).toEqual({ problem: expect.stringContaining('too long') })
    const beside = Array.from({ length: 100 }, () => nested(12).slice(7)).join(', ')
    expect(writeMeanings(`SELECT ${beside}`, 'mysql')).toEqual({
      problem: expect.stringContaining('too long'),
    })
  })

  it.each([
    ['waymark_tostartofweek(d, 2)', 'clickhouse', `(date_trunc('week', (d + INTERVAL (1) DAY)) - INTERVAL (1) DAY)`],
    ['waymark_tostartofweek(d, 3)', 'clickhouse', `date_trunc('week', d)`],
    [`waymark_strftime('%S %f %%f', d)`, 'sqlite', `strftime(CAST(d AS TIMESTAMP), '%S %S.%g %%f')`],
  ] as const)('of %s', (call, dialect, means) => expect(writeMeanings(`SELECT ${call}`, dialect)).toBe(`SELECT ${means}`)) // prettier-ignore

  it('a pattern whose groups are not known is refused', () => {
    const refused = { problem: expect.stringContaining('no counterpart') }
    expect(writeMeanings('SELECT waymark_regexp_extract(a, b)', 'bigquery')).toEqual(refused)
  })

  it.each(['waymark_x(1)', 'waymark_constructor(1)'])('is nothing for %s, which people may write', (call) => {
    expect(writeMeanings(`SELECT ${call}`, 'mysql')).toEqual({
      problem: expect.stringContaining('no counterpart'),
    })
  })
})

describe('a translator', () => {
  let translator: Translator
  const translate = (statement: string, dialect: 'mysql' | 'tsql' = 'mysql', user = 'ada') =>
    translator.translate({ user, statement, dialect, signal: newSignal() })
  beforeEach(() => {
    translator = new Translator({ idleMs: 1000 })
  })
  afterEach(() => translator.close())

  it('has no process until it is asked, one for all statements, and none after idling', async () => {
    expect(translator.pid).toBeUndefined()
    expect(await Promise.all([translate('SELECT `a`'), translate('SELECT `b`')])).toEqual([
      'SELECT "a"',
      'SELECT "b"',
    ])
    const pid = translator.pid!
    expect(isAlive(pid)).toBe(true)
    await hasEnded(pid)
    expect(translator.pid).toBeUndefined()
    expect(await translate('SELECT `a`')).toBe('SELECT "a"')
  })

  it('ends with a statement that breaks the transpiler, and takes the next', async () => {
    await translate('SELECT 1')
    const pid = translator.pid!
    await expect(translate(breaking, 'tsql')).rejects.toMatchObject({
      status: 400,
      message: 'The statement could not be translated from T-SQL: the translator ended.',
    })
    await hasEnded(pid)
    expect(await translate('SELECT `a`')).toBe('SELECT "a"')
  })

  it.each([
    ['took too long', { longestMs: 50 }],
    ['took too much memory', { mostBytes: 50 * 1_048_576 }],
  ])('ends with a statement that %s', async (what, limits) => {
    const strict = new Translator(limits)
    try {
      await expect(
        strict.translate({ user: 'ada', statement: slow, dialect: 'bigquery', signal: newSignal() }),
      ).rejects.toMatchObject({
        status: 400,
        message: `Translating the statement from BigQuery ${what}.`,
      })
      expect(strict.pid).toBeUndefined()
    } finally {
      strict.close()
    }
  })

  it('refuses what is too long, and waits for nobody who has gone', async () => {
    const long = `SELECT '${'x'.repeat(262_144)}'`
    await expect(translate(long)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('at most 262144 characters'),
    })
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(
      translator.translate({ user: 'ada', statement: 'SELECT 1', dialect: 'mysql', signal: gone }),
    ).rejects.toThrow('gone')
  })

  it('lets so many wait', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 120 }, () => translate('SELECT `a`')))
    const refused = asked.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBe(19)
    expect(refused[0]).toMatchObject({ reason: { status: 503, code: 'overloaded' } })
  })

  it('keeps no user waiting for all that another has asked before', async () => {
    let answered = 0
    const crowd = Array.from({ length: 99 }, () => translate('SELECT `a`').then(() => answered++))
    await translate('SELECT `b`', 'mysql', 'bob')
    expect(answered).toBeLessThan(3)
    await Promise.all(crowd)
  })

  it('ends with whoever started it', async () => {
    await translate('SELECT 1')
    const pid = translator.pid!
    translator.close()
    await hasEnded(pid)
  })
})

describe('a hostile statement', () => {
  let service: Service
  beforeAll(async () => {
    service = await createService()
  })
  afterAll(() => service.close())

  it.each([
    ['many brackets', `SELECT ${'('.repeat(50_000)}1${')'.repeat(50_000)}`],
    ['open brackets', `SELECT ${'('.repeat(100_000)}`],
    ['many calls', `SELECT ${'f('.repeat(20_000)}1${')'.repeat(20_000)}`],
    ['many cases', `SELECT ${'CASE WHEN a THEN '.repeat(5000)}1${' END'.repeat(5000)}`],
    ['many queries', `SELECT * FROM ${'(SELECT * FROM '.repeat(5000)}t${') x'.repeat(5000)}`],
    ['many signs', `SELECT ${'- '.repeat(100_000)}1`],
    ['many terms', `SELECT 1${'+1'.repeat(100_000)}`],
    ['many unions', `SELECT 1${' UNION SELECT 1'.repeat(10_000)}`],
    ['many arrows', `SELECT a${"->'b'".repeat(40_000)}`],
    ['null characters', `SELECT '\0'${'\0'.repeat(1000)}`],
  ])('is refused, and the next one is translated: %s', async (_, statement) => {
    const { status, error } = await service.query(statement, { dialect: 'mysql' })
    expect([status, error?.['error']]).toEqual([400, 'invalid-statement'])
    expect((await service.query('SELECT `a` FROM (SELECT 1 AS a) t', { dialect: 'mysql' })).rows).toEqual([
      [1],
    ])
  })

  it('keeps no other waiting', async () => {
    let isOver = false
    const hostile = service.query(slow, { dialect: 'bigquery' }).finally(() => (isOver = true))
    let meanwhile = 0
    while (!isOver) {
      expect((await service.query('SELECT 1')).rows).toEqual([[1]])
      meanwhile++
      await delay(5)
    }
    expect(meanwhile).toBeGreaterThan(10)
    expect((await hostile).status).toBe(400)
  })
})
