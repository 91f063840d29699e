// @vitest-environment node
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askOf } from '../src/data/asks'
import { readTimeRange } from '../src/address/timeRange'
import { createStore, did } from './fixtures/askStore'

/** As `noteCrawler` of the library sends it. */
const note = ($user_agent: string, path: string, daysAgo = 1) =>
  did('crawler', '$pageview', {
    daysAgo,
    $url: `https://shop.example${path}`,
    $user_agent,
    $device_type: 'bot',
  })
const openAi = 'Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'
const google = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

let store: Awaited<ReturnType<typeof createStore>>
beforeAll(async () => {
  store = await createStore([
    note(openAi, '/'),
    note(openAi, '/maps'),
    note(openAi, '/maps'),
    note(openAi, '/old', 40),
    note(google, '/'),
    // Neither people nor driven browsers are crawlers.
    did('ada', '$pageview', { $url: 'https://shop.example/' }),
    did('test', '$pageview', { $url: 'https://shop.example/', $device_type: 'bot' }),
  ])
})
afterAll(() => store.close())

const asking = {
  environment: 'production',
  bots: false,
  range: readTimeRange(new URLSearchParams(), new Date()),
  filters: [],
}

it('crawlers are apart by name, each with what it read in the time shown', async () => {
  const withoutTime = (rows: readonly unknown[][]) => rows.map((row) => row.slice(0, -1))
  expect(withoutTime(await store.ask(askOf('crawlers', asking)))).toEqual([
    ['AI crawler GPTBot', 3, 2],
    ['crawler Googlebot', 1, 1],
  ])
  expect(
    withoutTime(await store.ask(askOf('crawled_pages', asking, { crawler: 'AI crawler GPTBot' }))),
  ).toEqual([
    ['/maps', 2],
    ['/', 1],
  ])
  expect(await store.ask(askOf('crawled_pages', asking, { crawler: "it's none" }))).toEqual([])
})
