import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { createService, type Body, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

const folder = mkdtempSync(join(tmpdir(), 'waymark-plan-'))
const planFile = join(folder, 'plan.json')
const writePlan = (events: object) =>
  writeFileSync(
    planFile,
    JSON.stringify({ events, traits: { properties: { seats: { type: 'number' }, name: {} } } }),
  )
const order = {
  type: 'object',
  properties: { total: { type: 'number' }, note: { type: 'string' } },
  required: ['total'],
}

let service: Service
beforeEach(async () => {
  writePlan({ 'Order Placed': order })
  service = await createService({ planFile })
})
afterEach(() => service.close())
afterAll(() => rmSync(folder, { recursive: true }))

const track = async (sent: [name: string, properties: Body][], more = '') => {
  const events = sent.map(([name, properties]) => event(name, { properties }))
  expect((await service.ingest(`/track?sync=true${more}`, events)).status).toBe(200)
}
const rowsOf = async (statement: string) => {
  const { rows, error } = await service.query(statement)
  expect(error).toBeUndefined()
  return rows
}
const newest = (count: number) =>
  rowsOf(
    `SELECT event, plan_verdict, plan_problem FROM (FROM events ORDER BY event_id DESC LIMIT ${count}) ORDER BY event_id`,
  )

it('stores a verdict beside each event, and drops none', async () => {
  await track([
    ['Order Placed', { total: 1, $url: 'https://shop.example/', insert_id: 'a' }],
    ['Order Placed', { total: 'a: b', insert_id: 'b' }],
    ['Order Placd', {}],
    ['$pageview', { odd: 1 }],
    ['Order Placed', { total: 1, 'a: b': 1 }],
  ])
  expect(await newest(5)).toEqual([
    ['Order Placed', 'valid', null],
    ['Order Placed', 'invalid', 'total: must be a number'],
    ['Order Placd', 'unplanned', null],
    ['$pageview', 'valid', null],
    ['Order Placed', 'invalid', 'a: b: is not in the plan'],
  ])
})

it('judges a large body, too, in which the right events stay beside their verdicts', async () => {
  const text = 'x'.repeat(3000)
  const sent = Array.from({ length: 300 }, (_, at): [string, Body] => [
    'Order Placed',
    at % 3 === 0 ? { note: text } : { total: at, note: text },
  ])
  await track(sent)
  const rows = await newest(300)
  expect(rows.map(([, plan]) => plan)).toEqual(
    sent.map(([, { total }]) => (total === undefined ? 'invalid' : 'valid')),
  )
})

it('lists what drifts, by release', async () => {
  await track([
    ['Refund', { $release: '1.0' }],
    ['Refund', { $release: '1.1' }],
    ['Refund', { $release: '1.1' }],
    ['Order Placed', {}],
    ['Order Placed', { note: 'a' }],
    ['Order Placed', { total: 'a: b' }],
  ])
  const drift = `SELECT property, problem, release, events, first_seen <= last_seen FROM plan_drift`
  expect(await rowsOf(`${drift} WHERE event = 'Refund' ORDER BY release`)).toEqual([
    [null, 'is not in the plan', '1.0', 1, true],
    [null, 'is not in the plan', '1.1', 2, true],
  ])
  expect(
    await rowsOf(`${drift} WHERE event = 'Order Placed' AND property = 'total' ORDER BY problem`),
  ).toEqual([
    ['total', 'is missing', null, 2, true],
    ['total', 'must be a number', null, 1, true],
  ])
})

it('judges what is said of users, and lists what drifts', async () => {
  const said = [{ seats: 3, seat: 1 }, { seats: 3, name: null }, null, { seats: [] }]
  const rows = said.map((traits, at) => ({ environment: 'production', distinct_id: `u_${at}`, traits }))
  expect((await service.ingest('/identify?sync=true', rows)).status).toBe(200)
  expect(
    await rowsOf('SELECT plan_verdict, plan_problem, count(*) FROM plan_traits GROUP BY ALL ORDER BY 3, 2'),
  ).toEqual([
    ['invalid', 'seat: is not in the plan', 1],
    ['invalid', 'seats: must be a number', 1],
    ['valid', null, 2],
  ])
  expect(
    await rowsOf(
      "SELECT property, problem, release, events FROM plan_drift WHERE event = '$identify' ORDER BY 1",
    ),
  ).toEqual([
    ['seat', 'is not in the plan', null, 1],
    ['seats', 'must be a number', null, 1],
  ])
})

it('judges visitors who are counted without consent', async () => {
  const body = [{ environment: 'production', event: 'Refund', properties: {} }]
  expect((await service.ingest('/anonymous?sync=true', body)).status).toBe(200)
  expect(await rowsOf(`SELECT plan_verdict, count(*) FROM events WHERE anonymous GROUP BY ALL`)).toEqual([
    ['unplanned', 1],
  ])
})

it('judges by the plan of the time: a later plan changes no verdict, and without one there is none', async () => {
  await track([['Refund', {}]])
  writePlan({ Refund: { type: 'object' } })
  await service.restart()
  await track([['Refund', {}]])
  expect((await newest(2)).map(([, plan]) => plan)).toEqual(['unplanned', 'valid'])
  // Each plan is kept once, however often the service starts with it.
  await service.restart()
  await track([['Refund', {}]])
  expect(await rowsOf(`SELECT count(*) FROM events WHERE plan_verdict IS NULL`)).toEqual([[0]])
  const without = await createService()
  await without.ingest('/track?sync=true', event('Refund'))
  const { rows } = await without.query('SELECT plan_verdict, plan_problem FROM events')
  await without.close()
  expect(rows).toEqual([[null, null]])
})

it('does not start with a plan that is wrong', async () => {
  const wrong = join(folder, 'wrong.json')
  writeFileSync(wrong, '{"events":{"Refund":{"type":"nonsense"}}}')
  await expect(createService({ planFile: wrong })).rejects.toThrow(/wrong\.json.*event "Refund"/)
})
