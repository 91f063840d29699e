// @vitest-environment node
import { afterAll, beforeAll, expect, it } from 'vitest'
import { explainMistake } from '../src/pages/sql/explainMistake'
import { listExamples } from '../src/pages/sql/listExamples'
import { createStore, did, isCalled } from './fixtures/askStore'

let store: Awaited<ReturnType<typeof createStore>>
beforeAll(async () => {
  const $url = 'https://shop.example/'
  store = await createStore(
    [
      did('ada', '$pageview', { daysAgo: 0, $url }),
      did('ada', 'Order Placed', { daysAgo: 0, plan: 'pro', price: 12 }),
    ],
    [isCalled('ada', { plan: 'pro' })],
  )
})
afterAll(() => store.close())

it.each(listExamples('production').map(({ title, statement }) => [title, statement] as const))(
  'the example “%s” has an answer',
  async (_, statement) => expect(await store.ask(statement.text)).not.toEqual([]),
)

/** What the service says to a statement. */
const refuse = async (text: string) => {
  const error = await store.ask(text).then(
    () => undefined,
    (problem: unknown) => problem,
  )
  return explainMistake((JSON.parse((error as Error).message) as { message: string }).message, text)
}

it('an unknown column may be a property, or a trait', async () => {
  expect(await refuse('SELECT plan FROM events')).toContain(
    "Is it a property? Write prop(properties, 'plan').",
  )
  expect(await refuse('SELECT e.plan FROM events e')).toContain("prop(properties, 'plan')")
  expect(await refuse('SELECT plan FROM persons')).toContain("Is it a trait? Write prop(traits, 'plan').")
  expect(await refuse('SELECT "it\'s" FROM events')).toContain("prop(properties, 'it''s')")
  expect(await refuse('SELEC 1')).not.toContain('prop(')
})
