import { describe, expect, it } from 'vitest'
import type { Body } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const identify = (distinct_id: string, more: Body = {}): Body => ({
  environment: 'production',
  distinct_id,
  ...more,
})
const send = (path: string, body: Body | Body[]) => service.ingest(`${path}?sync=true`, body)
const rowsOf = async (statement: string) => (await service.query(statement)).rows
const personsOf = (ids: string) =>
  rowsOf(`SELECT person_id FROM persons WHERE list_has_any(distinct_ids, ${ids}) ORDER BY 1`)

const bugs = ['undefined', 'null', '0', '[object Object]', 'nan', ' ', 'Guest']

describe('a user id that a bug gives', () => {
  it.each(bugs)('%j makes no person of strangers', async (bug) => {
    const strangers = ['a', 'b', 'c'].map((name) => `${bug.trim()}-stranger-${name}`)
    for (const anonymous_id of strangers) {
      await send('/track', event('Seen', { anonymous_id }))
      expect(await send('/identify', identify(bug, { anonymous_id }))).toMatchObject({
        status: 400,
        body: { ok: false, error: 'invalid-user-id', message: expect.stringContaining('such as undefined') },
      })
      expect((await send('/alias', identify(bug, { new_user_id: anonymous_id }))).status).toBe(400)
      expect((await send('/alias', identify(anonymous_id, { new_user_id: bug }))).status).toBe(400)
      await send('/track', event('Seen', { distinct_id: bug, anonymous_id }))
    }
    expect(await personsOf(`[${strangers.map((each) => `'${each}'`).join()}]`)).toEqual(
      strangers.map((each) => [each]),
    )
    expect(await personsOf(`['${bug}']`)).toEqual([])
  })

  it('is set aside alone, and the others of its request are stored', async () => {
    const answer = await send('/identify', [
      identify('first', { traits: { n: 1.1 } }),
      identify('null', { anonymous_id: 'somebody', traits: { n: 2 } }),
      identify('third', { traits: { n: 3 } }),
    ])
    expect(answer).toMatchObject({
      status: 200,
      body: { ok: true, error_code: null, rejected: 1, message: expect.stringContaining('A user id is one') },
    })
    expect(await personsOf(`['first', 'third', 'null', 'somebody']`)).toEqual([['first'], ['third']])
    expect(
      await rowsOf(
        `SELECT kind, record->>'anonymous_id', reason FROM analytics.rejected WHERE record->>'distinct_id' = 'null'`,
      ),
    ).toEqual([['identify', 'somebody', expect.stringContaining('strangers would become one person')]])
    const aliases = [identify('old', { new_user_id: 'new' }), identify('old-2', { new_user_id: 'undefined' })]
    expect((await send('/alias', aliases)).body).toMatchObject({ ok: true, rejected: 1 })
    expect(await personsOf(`['old', 'old-2']`)).toEqual([['new']])
  })

  it('counts as none where an id may be left out, and nothing else of the payload changes', async () => {
    const properties = { big: 1, distinct_id: 'null' }
    const ids = {
      distinct_id: 'null',
      anonymous_id: ' UNDEFINED',
      device_id: '[object Object]',
      session_id: '0',
    }
    await send('/track', [
      event('All', { ...ids, properties }),
      event('Some', { ...ids, anonymous_id: 'real' }),
    ])
    expect(
      await rowsOf(`SELECT event, distinct_id, anonymous_id, device_id, session_id, person_id, properties FROM events
        WHERE event IN ('All', 'Some') ORDER BY event`),
    ).toEqual([
      ['All', null, null, null, null, null, properties],
      ['Some', null, 'real', null, null, 'real', {}],
    ])
    await send('/identify', identify('owner', { anonymous_id: 'undefined' }))
    await send('/track', event('Seen', { distinct_id: 'undefined' }))
    expect(await rowsOf(`SELECT distinct_ids FROM persons WHERE person_id = 'owner'`)).toEqual([[['owner']]])
  })
})

it('marks times in seconds, and beyond the year 9999, and keeps them', async () => {
  const times = [1_700_000_000, 1_700_000_000_000, 253_402_300_799_999, 253_402_300_800_000, 1.7e15]
  await send(
    '/track',
    times.map((timestamp) => event('Timed', { timestamp })),
  )
  expect(
    await rowsOf(
      `SELECT epoch_ms(timestamp), timestamp_problem FROM events WHERE event = 'Timed' ORDER BY event_id`,
    ),
  ).toEqual([
    [times[0], 'seconds'],
    [times[1], null],
    [times[2], null],
    [times[3], 'microseconds'],
    [times[4], 'microseconds'],
  ])
})
