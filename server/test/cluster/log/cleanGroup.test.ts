import { describe, expect, it } from 'vitest'
import { cleanGroup } from '../../../src/cluster/log/cleanLog.js'
import { FrameBuffer } from '../../../src/wal/GroupCommit.js'
import { createSalt, readFrame, type LogRecord } from '../../../src/wal/segment.js'

const salt = createSalt()
const environment = 'production'
const person = { task: 'task-1', environment, ids: ['ada', 'anon-ada'], rejected: [] as number[] }
const standIn = 'erased-task-1'

/** Cleans one entry of some rows, which ends with row 100 of the log; undefined when it stays as it is. */
const clean = (
  kind: string,
  rows: readonly unknown[],
  more: Partial<LogRecord> & { rejected?: number[] } = {},
) => {
  const { rejected = [], ...record } = more
  const body = Buffer.from(
    `[${rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join()}]`,
  )
  const records = [{ kind, count: rows.length, receivedAtMs: 5, body, ...record }]
  const group = Buffer.from(new FrameBuffer().write({ salt, first: 1, records }))
  const cleaned = cleanGroup(group, 100, [{ ...person, rejected }])
  if (cleaned === undefined) return undefined
  expect(cleaned.subarray(0, 8)).toEqual(salt)
  const frame = readFrame(cleaned, 0, salt)!
  expect(frame.entries).toHaveLength(1)
  const entry = frame.entries[0]
  if (entry === undefined) throw new Error('the frame is empty')
  expect(entry).toMatchObject({ kind, count: rows.length, first: 1, receivedAtMs: 5 })
  expect(entry.target).toBe(record.target)
  return entry.body.toString()
}
const rowsOf = (...given: Parameters<typeof clean>) => JSON.parse(clean(...given)!) as unknown[]

const seen = { environment, event: 'Seen', properties: { a: 1 } }
const erased = (event = 'erased', properties: object = {}) => ({
  environment,
  event,
  properties,
  distinct_id: standIn,
})

describe('a group of the log', () => {
  it('stays as it is, in its own bytes, when it holds nothing of the person', () => {
    expect(clean('track', [{ ...seen, distinct_id: 'bob', properties: { friend: 'ada' } }])).toBeUndefined()
    expect(clean('track', [{ ...seen, environment: 'staging', distinct_id: 'ada' }])).toBeUndefined()
    expect(clean('append', [{ distinct_id: 'ada', environment }])).toBeUndefined()
  })

  it('has another event in the place of each of theirs, with the name and insert id by which a second copy is known', () => {
    const bob = { ...seen, distinct_id: 'bob' }
    const rows = [
      { ...seen, distinct_id: 'ada', properties: { insert_id: 'i-1', email: 'x' } },
      bob,
      { ...seen, distinct_id: '', anonymous_id: 'anon-ada', properties: { insert_id: 'of-ada-1' } },
      '{"environment":"production","event":"x","properties":{},"distinct_id":"\\u0061da"}',
      { ...seen, event: 'Mail to ada', distinct_id: 'ada', properties: { insert_id: 'i-2' } },
    ]
    expect(rowsOf('track', rows)).toEqual([
      erased('Seen', { insert_id: 'i-1' }),
      bob,
      erased(),
      erased(),
      erased(),
    ])
  })

  it('loses an anonymous id in what others sent, and nothing else of it', () => {
    const row =
      '{"environment":"production", "anonymous_id":"anon-ada","distinct_id":"bob","event":"x","properties":{"n":1.50e3}}'
    expect(clean('track', [row])).toBe(`[${row.replace('"anon-ada"', 'null')}]`)
    const identify = { environment, distinct_id: 'bob', anonymous_id: 'anon-ada', traits: { plan: 'pro' } }
    expect(rowsOf('identify', [identify])).toEqual([{ ...identify, anonymous_id: null }])
  })

  it('belongs to whom the store takes for its owner', () => {
    const both = { ...seen, distinct_id: 'ada', anonymous_id: 'anon-bob' }
    expect(rowsOf('track', [both])).toEqual([erased()])
    // With signed users an event is of its anonymous id.
    expect(rowsOf('track', [both], { target: '{"key":"public"}' })).toEqual([{ ...both, distinct_id: null }])
    // Nobody knows a visitor without consent.
    const visitor = { target: '{"visitor":"v-1"}' }
    expect(rowsOf('track', [both], visitor)).toEqual([{ ...both, distinct_id: null }])
  })

  it('has stand-ins for what said who the person is', () => {
    expect(rowsOf('identify', [{ environment, distinct_id: 'ada', traits: { a: 1 } }])).toEqual([
      { environment, distinct_id: standIn },
    ])
    expect(rowsOf('alias', [{ environment, distinct_id: 'anon-ada', new_user_id: 'ada' }])).toEqual([
      { environment, distinct_id: standIn, new_user_id: standIn },
    ])
  })

  it('has nothing of a record that was set aside, whatever it is, by its row', () => {
    const row = '{"environment":"nowhere","environment":"production","event":"ada","properties":{}}'
    expect(rowsOf('track', [seen, row, seen], { rejected: [99] })).toEqual([
      seen,
      { distinct_id: standIn },
      seen,
    ])
  })

  it('no longer saves what names the person, under the names that it had', () => {
    const view = {
      kind: 'view',
      name: 'Hers',
      was: 'Its',
      value: { path: '/app/', search: 'where=event%257Cada%7C' },
    }
    const goal = { kind: 'goal', name: 'ada', value: { event: 'ada' } }
    const link = (value: string) => ({
      ...{ kind: 'link', name: 'Shown' },
      value: { answers: [{ name: 'totals', where: [{ field: 'prop.x', operator: 'is', values: [value] }] }] },
    })
    expect(rowsOf('save', [link('ada'), link('adam')], { target: '{"user":"ada"}' })).toEqual([
      { ...link('ada'), value: null },
      link('adam'),
    ])
    expect(rowsOf('save', [view, goal], { target: '{"user":"ada"}' })).toEqual([
      { ...view, value: null },
      goal,
    ])
  })

  it('no longer saves what names the person in another case', () => {
    const segment = (search: string) => ({ kind: 'segment', name: 'Some', value: { search } })
    const goal = { kind: 'goal', name: 'Hers', value: { property: 'who', value: 'ADA' } }
    const answers = [{ where: [{ values: ['Ada'] }] }]
    const link = { kind: 'link', name: 'Shown', value: { answers } }
    const kept = segment('filter=prop.who%7Cis%7CADAM')
    const rows = [segment('filter=trait.email%7Cis%7CAda'), goal, link, kept]
    expect(rowsOf('save', rows, { target: '{"user":"ada"}' })).toEqual([
      ...rows.slice(0, 3).map((row) => ({ ...row, value: null })),
      kept,
    ])
  })

  it('has nothing that an alert found under a name, or of a question, that is an id', () => {
    const found = (name: string, text: string) => ({ kind: 'judged', name, version: 1, message: { text } })
    const rows = [
      found('anon-ada', 'Orders: 1'),
      found('Low', 'Orders of anon-ada: 1'),
      found('Low', 'Orders: 1'),
    ]
    expect(rowsOf('alert', rows)).toEqual([{ kind: 'erased' }, { kind: 'erased' }, rows[2]])
  })

  it('has an empty row in the place of an imported sum whose value names an id', () => {
    const sum = (value: string, of = environment) => ({
      ...{ imported: 'plausible-1', environment: of, day: '2024-01-01', dimension: 'page', value, visits: 1 },
    })
    const rows = [
      sum('/of/Anon-Ada/orders'),
      sum('/of%2Fanon%252Dada'),
      sum('/%FC/anon%2Dada'),
      sum('/of/anon-adas'),
      sum('/of/anon-ada', 'staging'),
      sum('ada'),
      { ...sum(''), dimension: 'total' },
    ]
    expect(rowsOf('sums', rows)).toEqual([{}, {}, {}, ...rows.slice(3)])
    expect(rowsOf('sums', rows.slice(3), { rejected: [99] })).toEqual([rows[3], rows[4], {}, rows[6]])
    expect(clean('sums', rows.slice(3))).toBeUndefined()
  })

  it('has no saved name, old name or text with a word that is an id', () => {
    const ada = { kind: 'annotation', name: 'anon-ada', value: { at: 'now', text: 'Hello' } }
    const renamed = { kind: 'goal', name: 'Seen', was: 'of anon-ada', value: { event: 'Seen' } }
    const text = { kind: 'annotation', name: 'n-1', value: { at: 'now', text: 'Call anon-ada!' } }
    const other = { kind: 'annotation', name: 'n-2', value: { at: 'now', text: 'anon-adas' } }
    const removed = { kind: 'goal', name: 'anon-ada', value: null }
    expect(rowsOf('save', [ada, renamed, text, other, removed], { target: '{"user":"ada"}' })).toEqual([
      { ...ada, name: standIn },
      { kind: 'goal', name: 'Seen', value: { event: 'Seen' } },
      { ...text, value: null },
      other,
      { ...removed, name: standIn },
    ])
  })
})
