import type { Page } from '@playwright/test'
import { serveSite } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

/**
 * An event every five seconds for ten minutes, on as many pages, by a clock that is wound by hand. The network keeps its
 * own time: a request ends before more time passes, or a page would leave before it knows that nobody answered.
 */
const use = async (page: Page, url: string) => {
  const tracked: string[] = []
  for (let minute = 0; minute < 10; minute++) {
    await page.goto(`${url}/${minute}`)
    await waymarkOf(page).loaded()
    for (let step = 0; step < 12; step++) {
      tracked.push(await waymarkOf(page).track('Step', { minute, step }))
      await page.clock.runFor(5000)
      const state = async () => (await waymarkOf(page).stats()).state
      await expect.poll(state, { intervals: [10] }).not.toBe('sending')
    }
  }
  return tracked
}

test('a visitor whose requests are blocked costs six of them at most, and loses nothing', async ({
  page,
  service,
  complaints,
}) => {
  const site = await serveSite({ endpoint: service.url })
  const isOurs = (url: URL) => url.href.startsWith(service.url)
  let requests = 0
  try {
    await page.clock.install()
    await page.route(isOurs, (route) => {
      requests++
      return route.abort('blockedbyclient')
    })
    const tracked = await use(page, site.url)
    expect(requests).toBeGreaterThan(1)
    expect(requests).toBeLessThanOrEqual(6)
    // The browser's own lines, one for each request.
    expect(complaints.filter((text) => !text.includes('ERR_BLOCKED_BY_CLIENT'))).toEqual([])

    await page.unroute(isOurs)
    await page.clock.runFor(31 * 60_000)
    await page.goto(site.url)
    await waymarkOf(page).loaded()
    const stored = async () => {
      await page.clock.runFor(1000)
      return (await service.sql(`SELECT insert_id FROM events WHERE event = 'Step'`)).map(([id]) =>
        String(id),
      )
    }
    await expect.poll(async () => (await stored()).length).toBe(tracked.length)
    expect((await stored()).toSorted()).toEqual(tracked.toSorted())
  } finally {
    await site.close()
  }
})

test('a service that refuses every connection is asked six times at most by a visitor who never had an answer', async ({
  page,
  service,
}) => {
  const site = await serveSite({ endpoint: service.url })
  let requests = 0
  page.on('request', (request) => void (request.url().startsWith(service.url) && requests++))
  try {
    await service.stop()
    await page.clock.install()
    await use(page, site.url)
    expect(requests).toBeGreaterThan(1)
    expect(requests).toBeLessThanOrEqual(6)
  } finally {
    await site.close()
  }
})
