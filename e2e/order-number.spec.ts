import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

test('two events of one order are stored once each, and a time in seconds is marked', async ({
  page,
  shop,
  service,
}) => {
  await page.goto(`${shop}/maps`)
  await waymarkOf(page).loaded()
  await page.evaluate(async () => {
    const { waymark } = window as unknown as { waymark: import('../src/core/types').Waymark }
    for (const event of ['Paid', 'Refunded', 'Paid']) waymark.track(event, {}, { insertId: '1042' })
    waymark.track('Imported', {}, { timestamp: 1_700_000_000 })
    await waymark.flush()
  })
  await expect
    .poll(() =>
      service.sql(`SELECT event, timestamp_problem FROM events WHERE event NOT LIKE '$%' ORDER BY event`),
    )
    .toEqual([
      ['Imported', 'seconds'],
      ['Paid', null],
      ['Refunded', null],
    ])
})
