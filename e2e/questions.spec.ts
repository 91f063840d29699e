import { readFile } from 'node:fs/promises'
import { expect } from '@playwright/test'
import { formatChange, formatDuration, formatMean, formatShare } from '../server/screens/src/parts/format'
import { vitals } from '../server/screens/src/pages/vitals/metrics'
import { day, filled, putOnBoard, readRetention, texts, toMap } from './fixtures/createHand'
import { serveOnePage } from './fixtures/serveOnePage'
import { channel, fisher, funnel, lastDays, retained, total, visits, week } from './fixtures/shopSql'
import { type Given, test } from './fixtures/testOfQuestions'

test.use({ timezoneId: 'UTC', viewport: { width: 1440, height: 900 }, acceptDownloads: true })

/** What is asked, by its number in the list of the twenty-five. */
const questions: Record<string, (given: Given) => Promise<void>> = {
  '1 visitors of last week against the week before': async ({ hand, service }) => {
    await hand.choose('Time', 'Last week')
    const people = (before: number) => `count(DISTINCT person_id) FILTER (${week(before)})`
    const [[last, earlier] = []] = await service.sql(`SELECT ${people(1)}, ${people(2)} FROM events`)
    const figure = hand.card('Totals').getByRole('button', { name: 'People' })
    await expect(figure.locator('.figure')).toHaveText(String(last))
    await expect(figure).toContainText(
      `${formatChange(Number(last), Number(earlier))} from ${String(earlier)}`,
    )
  },

  '2 landing pages of a campaign': async ({ page, hand, service }) => {
    await hand.click(hand.card('Sources').getByRole('button', { name: 'Campaign' }))
    await hand.click(hand.row('Sources', 'spring').getByRole('button'))
    await hand.click(hand.card('Pages').getByRole('button', { name: 'Entry' }))
    await expect(page.getByRole('button', { name: 'Remove the filter Campaign is spring' })).toBeVisible()
    const wanted = await service.sql(
      `SELECT entry, count(*) FROM (${visits}) WHERE campaign = 'spring' AND ${lastDays(30)} GROUP BY ALL`,
    )
    await expect(hand.card('Pages').locator('tbody').getByRole('row')).toHaveCount(wanted.length)
    expect(toMap(await hand.rows('Pages'), 1)).toEqual(toMap(texts(wanted), 1))
  },

  '3 the funnel view, cart, order by device': async ({ page, hand, service }) => {
    const steps = ['Product Viewed', 'Added to Cart', 'Order Placed']
    await hand.open('Funnel')
    await hand.click(page.getByRole('button', { name: 'Add a step' }))
    for (const [at, step] of steps.entries()) await hand.type(`Step ${at + 1}`, step)
    await hand.choose('by', '$device')
    const wanted = await service.sql(funnel(steps, { by: 'device' }))
    const shown = await hand.rows('By $device at the first step')
    expect(toMap(shown, 1, 2, 3)).toEqual(toMap(texts(wanted), 1, 2, 3))
  },

  '4 retention of sign-ups by week': async ({ hand, service }) => {
    await hand.open('Retention')
    await hand.choose('Time', 'Last 90 days')
    await hand.type('People who did', 'Signed Up')
    await expect(hand.card('Retention')).toContainText('did Signed Up for the first time ever')
    const wanted = await service.sql(retained('Signed Up', lastDays(90)))
    expect(await readRetention(hand)).toEqual(texts(wanted))
  },

  '5 what people do after /pricing': async ({ hand, service }) => {
    await hand.open('Paths')
    await hand.type('From', '/pricing')
    const [[next, sessions] = []] = await service.sql(`
WITH views AS (
  SELECT session_id, path, "timestamp" AS t, lag(path) OVER (PARTITION BY session_id ORDER BY "timestamp") AS before
  FROM events WHERE event = '$pageview' AND ${lastDays(30)}
), steps AS (
  SELECT session_id, path, lead(path) OVER (PARTITION BY session_id ORDER BY t) AS next,
    row_number() OVER (PARTITION BY session_id, path ORDER BY t) AS nth
  FROM views WHERE before IS DISTINCT FROM path
)
SELECT next, count(*) AS sessions FROM steps WHERE path = '/pricing' AND nth = 1 AND next IS NOT NULL
GROUP BY ALL ORDER BY sessions DESC LIMIT 1`)
    const shown = (await hand.rows('From /pricing')).find(([, , to]) => to === next)
    expect(shown).toContain(String(sessions))
  },

  '6 yesterday by hour': async ({ hand, service }) => {
    await hand.choose('Time', 'Yesterday')
    const wanted = await service.sql(`
SELECT strftime("timestamp", '%H:00'), count(DISTINCT person_id) FROM events
WHERE "timestamp" >= date_trunc('day', now()) - INTERVAL 1 DAY AND "timestamp" < date_trunc('day', now())
GROUP BY ALL ORDER BY 1`)
    await expect(hand.card('People over time').locator('tbody').getByRole('row')).toHaveCount(24)
    const shown = filled(await hand.rows('People over time'))
    expect(shown.map(([hour, people]) => [hour?.slice(-5), people])).toEqual(texts(wanted))
  },

  '7 the bounce rate by page': async ({ hand, service }) => {
    await hand.click(hand.card('Pages').getByRole('button', { name: 'Entry' }))
    await expect(hand.card('Pages').getByRole('columnheader', { name: 'Bounced' })).toBeVisible()
    const wanted = await service.sql(
      `SELECT entry, avg((views = 1)::INTEGER) FROM (${visits}) WHERE ${lastDays(30)} GROUP BY ALL`,
    )
    expect(toMap(await hand.rows('Pages'), 3)).toEqual(toMap(texts(wanted, formatShare), 1))
  },

  '8 conversion by source': async ({ page, hand, service }) => {
    await hand.click(page.getByRole('button', { name: 'New goal' }))
    const form = page.getByRole('dialog', { name: 'New goal' })
    await form.getByLabel('Name').fill('An order')
    await form.getByLabel('Event, or page').fill('Order Placed')
    await hand.click(form.getByRole('button', { name: 'Save' }))
    await hand.click(hand.card('Sources').getByRole('button', { name: 'Source', exact: true }))
    await expect(hand.card('Sources').getByRole('columnheader', { name: 'Goal' })).toBeVisible()
    await expect(hand.row('Sources', 'newsletter')).toBeVisible()
    const wanted = await service.sql(
      `SELECT coalesce(source, '(none)'), avg(ordered::INTEGER) FROM (${visits}) WHERE ${lastDays(30)} GROUP BY ALL`,
    )
    expect(toMap(await hand.rows('Sources'), 4)).toEqual(toMap(texts(wanted, formatShare), 1))
  },

  '9 the top ten buyers by revenue': async ({ hand, service }) => {
    await hand.open('Explore')
    await hand.type('of event', 'Order Placed')
    await hand.choose('Show', 'Sum')
    await hand.choose('of the property', 'total')
    await hand.choose('by', 'Person')
    const wanted = await service.sql(`
SELECT sum(${total}) AS revenue FROM events WHERE event = 'Order Placed' AND ${lastDays(30)}
GROUP BY person_id ORDER BY revenue DESC LIMIT 10`)
    const shown = await hand.rows('Sum of total of Order Placed by Person')
    expect(shown.slice(0, 10).map(([, revenue]) => revenue)).toEqual(
      wanted.map(([revenue]) => formatMean(Number(revenue))),
    )
  },

  '10 LCP p75 by page': async ({ hand, service }) => {
    await hand.open('Vitals')
    const wanted = await service.sql(`
SELECT path, quantile_cont((properties->>'value')::DOUBLE, 0.75) FROM events
WHERE event = 'Web Vital' AND ${lastDays(30)} GROUP BY ALL`)
    const shown = await hand.rows('Largest contentful paint (LCP) by page and device')
    expect(
      new Map(shown.map(([path, figure]) => [path, figure?.split(/ [^ ]*(good|poor|needs)/)[0]])),
    ).toEqual(new Map(wanted.map(([path, ms]) => [String(path), vitals[0].format(Number(ms))])))
  },

  '11 errors by release': async ({ hand, service }) => {
    await hand.open('Errors')
    const wanted = await service.sql(
      `SELECT release, count(*) FROM events WHERE event = 'Error Caught' AND ${lastDays(30)} GROUP BY ALL`,
    )
    expect(toMap(await hand.rows('Where'), 1)).toEqual(toMap(texts(wanted), 1))
  },

  '12 people with plan=pro by day': async ({ page, hand, service }) => {
    await hand.type('Filter by', 'trait plan = pro')
    await expect(page.getByRole('button', { name: 'Remove the filter Trait plan is pro' })).toBeVisible()
    const wanted = await service.sql(`
SELECT date_trunc('day', "timestamp")::DATE::VARCHAR AS day, count(DISTINCT person_id) FROM events
WHERE ${lastDays(30)} AND person_id IN (SELECT person_id FROM persons WHERE traits->>'plan' = 'pro')
GROUP BY ALL ORDER BY day`)
    await expect(page.getByText('Asking …')).toHaveCount(0)
    const shown = filled(await hand.rows('People over time'))
    expect(shown.map((row) => row.slice(0, 2))).toEqual(
      wanted.map(([date, people]) => [day(date), String(people)]),
    )
  },

  '13 revenue by day and by source': async ({ hand, service }) => {
    await hand.open('Explore')
    await hand.type('of event', 'Order Placed')
    await hand.choose('Show', 'Sum')
    await hand.choose('of the property', 'total')
    const byDay = await service.sql(`
SELECT date_trunc('day', "timestamp")::DATE::VARCHAR AS day, sum(${total}) FROM events
WHERE event = 'Order Placed' AND ${lastDays(30)} GROUP BY ALL ORDER BY day`)
    const shown = filled(await hand.rows('Sum of total of Order Placed by day'))
    expect(shown.map((row) => row.slice(0, 2))).toEqual(
      byDay.map(([date, revenue]) => [day(date), formatMean(Number(revenue))]),
    )
    await hand.choose('by', 'Channel')
    const bySource = await service.sql(`
SELECT ${channel}, sum(total) FROM (${visits}) JOIN (
  SELECT session_id, ${total} AS total FROM events WHERE event = 'Order Placed' AND ${lastDays(30)}
) USING (session_id) GROUP BY ALL`)
    expect(toMap(await hand.rows('Sum of total of Order Placed by Channel'), 1)).toEqual(
      toMap(texts(bySource, formatMean), 1),
    )
  },

  '14 the average order by country': async ({ hand, service }) => {
    await hand.open('Explore')
    await hand.type('of event', 'Order Placed')
    await hand.choose('Show', 'Average')
    await hand.choose('of the property', 'total')
    await hand.choose('by', 'Country')
    const names = new Intl.DisplayNames('en', { type: 'region' })
    const wanted = await service.sql(
      `SELECT country, avg(${total}) FROM events WHERE event = 'Order Placed' AND ${lastDays(30)} GROUP BY ALL`,
    )
    expect(toMap(await hand.rows('Average of total of Order Placed by Country'), 1)).toEqual(
      toMap(
        wanted.map(([code, mean]) => [names.of(String(code)) ?? '', formatMean(Number(mean))]),
        1,
      ),
    )
  },

  '15 stickiness': async ({ hand, service }) => {
    await hand.open('Explore')
    await hand.choose('Show', 'Stickiness (DAU/MAU)')
    const wanted = await service.sql(`
WITH days AS (
  SELECT unnest(generate_series(date_trunc('day', now()) - INTERVAL 29 DAY, date_trunc('day', now()), INTERVAL 1 DAY)) AS day
)
SELECT day::DATE::VARCHAR, count(DISTINCT person_id) FILTER ("timestamp" >= day) / count(DISTINCT person_id)
FROM days JOIN events ON "timestamp" >= day - INTERVAL 29 DAY AND "timestamp" < day + INTERVAL 1 DAY
GROUP BY ALL HAVING count(*) FILTER ("timestamp" >= day) > 0 ORDER BY 1`)
    const shown = filled(await hand.rows('Stickiness (DAU/MAU) by day'))
    expect(shown.map((row) => row.slice(0, 2))).toEqual(
      wanted.map(([date, share]) => [day(date), formatShare(Number(share))]),
    )
  },

  '16 who viewed a product and never ordered, all of them as CSV': async ({ page, hand, service }) => {
    await hand.open('People')
    await hand.type('Filter by', 'event = Product Viewed')
    await expect(page.getByRole('button', { name: 'Remove the filter did Product Viewed' })).toBeVisible()
    await hand.type('Filter by', 'event != Order Placed')
    await expect(
      page.getByRole('button', { name: 'Remove the filter did not do Order Placed' }),
    ).toBeVisible()
    const wanted = await service.sql(`
SELECT DISTINCT person_id FROM events WHERE event = 'Product Viewed' AND ${lastDays(30)}
  AND person_id NOT IN (SELECT person_id FROM events WHERE event = 'Order Placed' AND ${lastDays(30)})`)
    await expect(hand.card('People')).toContainText(`${wanted.length} people`)
    const download = page.waitForEvent('download')
    for (const name of ['More: People', 'CSV: People'])
      await hand.click(hand.card('People').getByLabel(name, { exact: true }))
    const [head = '', ...lines] = (await readFile(await (await download).path(), 'utf8')).trim().split('\n')
    expect(head).toMatch(/^person_id,/)
    const ids = lines.map((line) => line.split(',')[0])
    expect(new Set(ids)).toEqual(new Set(texts(wanted).flat()))
    expect(ids).toHaveLength(wanted.length)
  },

  '17 the median time between two steps': async ({ hand, service }) => {
    await hand.open('Funnel')
    await hand.type('Step 1', 'Product Viewed')
    await hand.type('Step 2', 'Order Placed')
    const [[median] = []] = await service.sql(`
WITH chains AS (
  SELECT v.person_id, v."timestamp" AS t, min(o."timestamp") AS "order"
  FROM events v JOIN events o ON o.person_id = v.person_id AND o.event = 'Order Placed'
    AND o."timestamp" > v."timestamp" AND o."timestamp" <= v."timestamp" + INTERVAL 7 DAY
  WHERE v.event = 'Product Viewed' AND v.${lastDays(30)} GROUP BY ALL
)
SELECT median(epoch("order" - t)) FROM (SELECT min(t) AS t, arg_min("order", t) AS "order" FROM chains GROUP BY person_id)`)
    await expect(hand.card('Funnel').locator('.funnel-bars')).toContainText(
      `${formatDuration(Number(median))} later (median)`,
    )
  },

  '18 this month against the same month a year before, by weekday': async ({ page, hand, service }) => {
    await hand.choose('Time', 'This month')
    await hand.choose('compared with', 'the year before')
    await hand.click(page.getByRole('checkbox', { name: 'by weekday' }))
    const [[now, before] = []] = await service.sql(`
SELECT count(DISTINCT person_id) FILTER ("timestamp" >= date_trunc('month', now())),
  count(DISTINCT person_id) FILTER ("timestamp" >= date_trunc('month', now()) - INTERVAL 52 WEEK
    AND "timestamp" < date_trunc('minute', now()) - INTERVAL 52 WEEK) FROM events`)
    const figure = hand.card('Totals').getByRole('button', { name: 'People' })
    await expect(figure.locator('.figure')).toHaveText(String(now))
    await expect(figure).toContainText(`from ${String(before)}`)
  },

  '19 phones of one campaign in the funnel and in retention': async ({ page, hand, service }) => {
    await hand.click(hand.card('Devices').getByRole('button', { name: 'Devices', exact: true }))
    await hand.click(hand.row('Devices', 'phone').getByRole('button'))
    await hand.click(hand.card('Sources').getByRole('button', { name: 'Campaign' }))
    await hand.click(hand.row('Sources', 'spring').getByRole('button'))
    const people = `person_id IN (SELECT person_id FROM (${visits}) WHERE device = 'phone' AND campaign = 'spring' AND ${lastDays(30)})`
    await hand.open('Funnel')
    await hand.type('Step 1', 'Product Viewed')
    await hand.type('Step 2', 'Order Placed')
    const [[, viewed, ordered] = []] = await service.sql(
      funnel(['Product Viewed', 'Order Placed'], { people }),
    )
    const bars = hand.card('Funnel').locator('.funnel-bars').getByRole('listitem')
    await expect(bars.nth(0)).toContainText(`${String(viewed)} people`)
    await expect(bars.nth(1)).toContainText(`${String(ordered)} people`)
    await hand.open('Retention')
    await hand.type('People who did', 'Product Viewed')
    await expect(page.getByText('did Product Viewed for the first time ever')).toBeVisible()
    const wanted = await service.sql(retained('Product Viewed', lastDays(30), people))
    expect(await readRetention(hand)).toEqual(texts(wanted))
  },

  '20 a link for a client who may see one board, embedded in their page': async ({ page, hand, service }) => {
    await putOnBoard(page, hand, 'For a client', ['Totals'])
    const site = await serveOnePage('<!doctype html><title>Site</title><body></body>', '')
    await hand.open('Boards')
    await hand.click(page.getByRole('link', { name: 'For a client' }))
    await hand.click(page.getByRole('button', { name: 'Share', exact: true }))
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('Client')
    await form.getByLabel('Sites').fill(site.url)
    await hand.click(form.getByRole('button', { name: 'Save' }))
    const address = await form.getByLabel('Copy it now').inputValue()
    await page.context().clearCookies()
    await page.goto(site.url)
    await page.evaluate((link) => {
      const frame = document.createElement('iframe')
      frame.src = link
      document.body.append(frame)
    }, address)
    const [[people] = []] = await service.sql(
      `SELECT count(DISTINCT person_id) FROM events WHERE ${lastDays(30)}`,
    )
    const frame = page.frameLocator('iframe')
    await expect(frame.locator('.figure').first()).toHaveText(String(people))
    await expect(frame.getByRole('navigation')).toHaveCount(0)
    await site.close()
  },

  '21 tell me when sign-ups fall by half': async ({ page, hand, service, receiver }) => {
    await hand.open('Explore')
    await hand.type('of event', 'Signed Up')
    await hand.rows('Events of Signed Up by day')
    await hand.click(page.getByRole('button', { name: 'More: Events of Signed Up by day' }))
    await hand.click(page.getByRole('button', { name: 'Alert: Events of Signed Up by day' }))
    const form = page.getByRole('dialog')
    await hand.choose('Tell me when it', 'differs from the weeks before by more than')
    await form.getByLabel('Percent').fill('50')
    await form.getByLabel('Address of the webhook').fill(receiver.url)
    await expect(form.getByRole('combobox', { name: 'Figure' })).not.toHaveValue('')
    await hand.click(form.getByRole('button', { name: 'Send a test now' }))
    const [[signUps] = []] = await service.sql(`SELECT count(*) FROM events WHERE event = 'Signed Up'
AND "timestamp" >= date_trunc('day', now()) - INTERVAL 1 DAY AND "timestamp" < date_trunc('day', now())`)
    await expect.poll(() => receiver.received).toMatchObject([{ kind: 'test', value: signUps }])
    await hand.click(form.getByRole('button', { name: 'Save' }))
    await expect(form).toHaveCount(0)
  },

  '22 last year’s export of three other products in the same charts': async ({ hand, service }) => {
    await hand.open('Set up')
    const card = hand.card('Bring your history')
    const [[first, second] = []] = await service.sql(
      `SELECT (today() - 20)::VARCHAR, (today() - 19)::VARCHAR`,
    )
    const text = `date,visitors,pageviews,visits\n${String(first)},120,300,150\n${String(second)},90,200,100\n`
    const compact = (each: unknown) => String(each).replaceAll('-', '')
    const name = `imported_visitors_${compact(first)}_${compact(second)}.csv`
    await card
      .getByLabel('file', { exact: true })
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
    await hand.click(card.getByRole('button', { name: 'Look at it' }))
    await expect(card).toContainText('2 of 2 rows are sums of days')
    await hand.click(card.getByRole('button', { name: 'Import', exact: true }))
    await expect(card.getByRole('status').first()).toContainText('Imported.')
    await hand.open('Overview')
    const chart = hand.card('People over time')
    await expect(chart).toContainText('Plausible’s own sums')
    await hand.click(chart.getByRole('button', { name: 'Table' }))
    const rows = await hand.rows('People over time')
    const sums = `SELECT "day"::VARCHAR, visitors::VARCHAR FROM analytics.daily_sums WHERE dimension = 'total'`
    for (const [each, visitors] of await service.sql(sums))
      expect(rows.find(([of]) => of === day(each))).toContain(visitors)
  },
  '23 the whole timeline of one user by e-mail address': async ({ page, hand, service }) => {
    const [[person, email] = []] = await service.sql(`
SELECT e.person_id, any_value(p.traits->>'email') FROM events e JOIN persons p USING (person_id)
WHERE p.traits->>'email' IS NOT NULL GROUP BY ALL ORDER BY count(*) DESC LIMIT 1`)
    await hand.open('People')
    await hand.type(page.getByRole('searchbox'), String(email))
    await hand.click(
      hand
        .card(`People with “${String(email)}”`)
        .getByRole('rowheader')
        .getByRole('link'),
    )
    const wanted = await service.sql(
      `SELECT event FROM events WHERE person_id = '${String(person)}' ORDER BY "timestamp" DESC`,
    )
    await expect(hand.card('Timeline').locator('.visit-events b')).toHaveText(texts(wanted).flat())
  },

  '24 which variant wins, and is it luck': async ({ hand, service }) => {
    await hand.open('Funnel')
    await hand.type('Step 1', 'Product Viewed')
    await hand.type('Step 2', 'Order Placed')
    await hand.choose('by', 'variant')
    const wanted = await service.sql(
      `${funnel(['Product Viewed', 'Order Placed'], { by: `properties->>'variant'` })} ORDER BY ALL`,
    )
    const [[, ofA = 0, didA = 0] = [], [, ofB = 0, didB = 0] = []] = wanted.map((row) => row.map(Number))
    const luck = await hand.rows('By variant at the first step', /^Conversion by variant/)
    expect(new Map(luck.map(([variant, share]) => [variant, share]))).toEqual(
      new Map([
        ['a', formatShare(didA / ofA)],
        ['b', formatShare(didB / ofB)],
      ]),
    )
    const p = fisher(didA, ofA, didB, ofB)
    expect(luck[1]?.[3]).toBe(p < 0.001 ? 'under 0.001' : p.toFixed(3))
  },

  '25 a board of five charts': async ({ page, hand, service }) => {
    const cards = ['People over time', 'Pages', 'Sources', 'Events', 'Devices']
    await putOnBoard(page, hand, 'The team', cards)
    await hand.open('Boards')
    await hand.click(page.getByRole('link', { name: 'The team' }))
    await expect(page.locator('.board .card h2')).toHaveText(cards)
    const answers = {
      'People over time': `SELECT date_trunc('day', "timestamp")::DATE::VARCHAR, count(DISTINCT person_id) FROM events WHERE ${lastDays(30)} GROUP BY ALL`,
      Pages: `SELECT path, count(*) FROM events WHERE event = '$pageview' AND ${lastDays(30)} GROUP BY ALL ORDER BY 2 DESC LIMIT 10`,
      Sources: `SELECT ${channel}, count(*) FROM (${visits}) WHERE ${lastDays(30)} GROUP BY ALL`,
      Events: `SELECT event, count(*) FROM events WHERE ${lastDays(30)} GROUP BY ALL`,
      Devices: `SELECT browser, count(*) FROM (${visits}) WHERE ${lastDays(30)} GROUP BY ALL`,
    }
    for (const [name, statement] of Object.entries(answers)) {
      const wanted = (await service.sql(statement)).map(([value, figure]) => [
        name === 'People over time' ? day(value) : String(value),
        String(figure),
      ])
      expect([name, toMap(filled(await hand.rows(name)), 1)]).toEqual([name, toMap(wanted, 1)])
    }
  },
}

for (const [name, ask] of Object.entries(questions))
  test(name, async ({ page, hand, service, receiver }) => ask({ page, hand, service, receiver }))

test('all twenty-five questions are asked', () => {
  const numbers = Object.keys(questions)
    .map((name) => Number.parseInt(name, 10))
    .toSorted((a, b) => a - b)
  expect(numbers).toEqual(Array.from({ length: 25 }, (_, at) => at + 1))
})
