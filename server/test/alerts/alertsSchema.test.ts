import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { beforeEach, expect, it } from 'vitest'
import type { Alert } from '../../src/alerts/alert.js'
import { alertsSchema, type AlertNews, type Message, type State } from '../../src/alerts/alertsSchema.js'
import { applySaved, savedSchema } from '../../src/saved/savedSchema.js'
import type { LogEntry } from '../../src/wal/segment.js'

let connection: DuckDBConnection
let last: number
beforeEach(async () => {
  connection = await (await DuckDBInstance.create()).connect()
  await connection.run("ATTACH ':memory:' AS analytics; CREATE SCHEMA analytics.raw")
  await connection.run(savedSchema)
  await connection.run(alertsSchema)
  last = 0
})

const apply = async (kind: string, row: object) => {
  const entry: LogEntry = {
    ...{ kind, count: 1, first: ++last, receivedAtMs: 1000 },
    ...{ body: Buffer.from(JSON.stringify([row])), target: JSON.stringify({ user: 'ada' }) },
  }
  await applySaved(connection, [entry])
}
const receiver = { shown: { webhook: 'hooks.example', format: 'json' }, sealed: 'x' }
const save = (name: string, more: object | null = {}, was?: string) => {
  const alert: Omit<Alert, 'to'> = { figures: [], over: 'day', when: 'below', than: 1 }
  return apply('save', { kind: 'alert', name, was, value: more && { ...alert, to: [receiver], ...more } })
}
const state: State = { status: 'firing', sinceMs: 0, untilMs: 0, value: 0, expected: 'more', error: null }
const judged = (version: number, id: string, name = 'a') =>
  apply('alert', {
    ...{ kind: 'judged', name, version, state },
    message: { id, kind: 'fired', text: id, made_at: new Date(last).toISOString() } as Message,
  } satisfies AlertNews)
const tried = (id: string, attempt: number, error: string | null) =>
  apply('alert', {
    ...{ kind: 'tried', name: 'a', id, receiver: 0, attempt, error, nextMs: error === null ? null : 9000 },
    atMs: 5000,
  } satisfies AlertNews)
const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRows()
const messages = () =>
  rows(
    'SELECT id, attempts, sent_at IS NOT NULL, next_at IS NOT NULL FROM analytics.alert_messages ORDER BY id',
  )

it('counts the first of two processes that judge one time', async () => {
  await save('a')
  await judged(1, 'first')
  await judged(1, 'second')
  expect(await messages()).toEqual([['first', 0, false, true]])
  await judged(2, 'third')
  expect((await messages()).map(([id]) => id)).toEqual(['first', 'third'])
})

it('counts each try once, and nothing after the message was taken', async () => {
  await save('a')
  await judged(1, 'm')
  await tried('m', 1, 'no')
  await tried('m', 1, null)
  expect(await messages()).toEqual([['m', 1, false, true]])
  await tried('m', 2, null)
  await tried('m', 3, 'no')
  expect(await messages()).toEqual([['m', 2, true, false]])
})

it('drops what was found about an alert that has changed, and keeps its messages under a new name', async () => {
  await save('a')
  await judged(1, 'm')
  await save('b', {}, 'a')
  await judged(2, 'late', 'a')
  await judged(2, 'late', 'b')
  expect(await rows('SELECT id, alert FROM analytics.alert_messages')).toEqual([['m', 'b']])
  expect(await rows('SELECT name, status FROM analytics.alerts')).toEqual([['b', 'new']])
  await save('b', null)
  expect(await messages()).toEqual([])
  expect(await rows('FROM analytics.raw.alerts')).toEqual([])
})

it('takes the receivers of another alert, or its own', async () => {
  await save('a')
  await save('b', { to: 'a' })
  await save('a', { to: 'a' })
  await save('c', { to: 'none' })
  expect(
    await rows("SELECT name, definition->>'$.to[0].webhook' FROM analytics.alerts ORDER BY name"),
  ).toEqual([
    ['a', 'hooks.example'],
    ['b', 'hooks.example'],
    ['c', null],
  ])
})

it('sends nothing while it is paused, and keeps fifty messages at most', async () => {
  await save('a')
  await judged(1, 'm')
  await save('a', { paused: true })
  await tried('m', 1, 'no')
  expect(await messages()).toEqual([['m', 1, false, false]])
  await save('a')
  for (let at = 0; at < 60; at++) await judged(last, `n${String(at).padStart(2, '0')}`)
  const ids = (await messages()).map(([id]) => id)
  expect(ids).toHaveLength(50)
  expect([ids[0], ids.at(-1)]).toEqual(['n10', 'n59'])
})
