import { expect, test } from './fixtures/test'
import { until } from './fixtures/until'
import { waymarkOf } from './fixtures/waymarkOf'

test.use({ viewport: { width: 1440, height: 900 } })

test.describe('the live view', () => {
  test('shows a click among DuckDB’s latest rows, in the chart and in the count', async ({ page, shop }) => {
    await page.goto(`${shop}/maps/the-long-moor`)
    await page.getByRole('button', { name: /Put in the basket/ }).click()

    const latest = page.getByRole('region', { name: 'Latest rows' })
    await expect(latest.getByRole('cell', { name: 'Added to Basket' })).toBeVisible()
    await expect(page.getByRole('img', { name: /^3 events in the last 30 minutes/ })).toBeVisible()
    await expect(page.locator('#n-stored')).toHaveText('3')
    await expect(
      page.getByRole('region', { name: 'Persons' }).getByRole('cell', { name: '3', exact: true }),
    ).toBeVisible()
  })

  test('answers SQL, and shows what is wrong with a statement', async ({ page, shop, service }) => {
    await page.goto(shop)
    await expect.poll(service.events).toEqual(['$pageview'])
    const box = page.getByLabel(/SQL over/)
    await box.fill('SELECT event, 6 * 7 AS answer FROM events')
    await box.press('Control+Enter')
    const answer = page.getByRole('region', { name: 'Answer' })
    await expect(answer.getByRole('cell')).toHaveText(['$pageview', '42'])

    await box.fill('SELECT nonsense FROM events')
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(page.getByRole('alert')).toContainText('nonsense')
    await expect(answer).toBeHidden()
  })

  test('answers each of its examples', async ({ page, shop, service }) => {
    await page.goto(`${shop}/live`)
    for (const event of ['Map Viewed', 'Order Placed']) await waymarkOf(page).track(event, { total: 14 })
    await until(async () => (await service.events()).length, 2)
    const examples = page.getByRole('list', { name: 'Examples' }).getByRole('button')
    const answer = page.getByRole('region', { name: 'Answer' })
    expect(await examples.allInnerTexts()).toContain('Who bought what')
    for (const example of await examples.all()) {
      await example.click()
      await expect(page.getByText(/^\d+ rows? in \d+ ms$/)).toBeVisible()
      await expect(page.getByRole('alert')).toBeHidden()
    }
    await page.getByRole('button', { name: 'Who bought what' }).click()
    await expect(answer.getByRole('cell').last()).toHaveText('14')
  })

  test('shows the queue grow while the service is switched off, and drain when it is back', async ({
    page,
    shop,
  }) => {
    await page.goto(`${shop}/maps/harrow-fell`)
    const queued = page.locator('#n-queued')
    const stored = page.locator('#n-stored')
    const service = page.getByRole('switch')
    await expect(stored).toHaveText('2')
    await service.click()
    await expect(service).toHaveAttribute('aria-checked', 'false')
    await page.getByRole('button', { name: /Put in the basket/ }).click()
    await expect(queued).toHaveText('1')
    // Before it has noticed, a page that goes still hands over, as to a service that is there.
    await expect(page.getByText(/no answer, waiting to try again/)).toBeVisible()
    await expect(page.getByText(/What is shown is the last answer/)).toBeVisible()

    await page.reload()
    await expect(queued).toHaveText('3')
    await service.click()
    await expect(service).toHaveAttribute('aria-checked', 'true')
    await expect(stored).toHaveText('5')
    await expect(queued).toHaveText('0')
    expect((await waymarkOf(page).stats()).dropped).toEqual({})
  })

  test('asks nothing of a service that is off: the console belongs to the library', async ({
    page,
    shop,
    context,
  }) => {
    const other: string[] = []
    page.on('console', (message) => {
      const { url } = message.location()
      if (message.type() === 'error' && !/\/(track|identify|alias)\?/.test(url)) other.push(url)
    })
    const asked: string[] = []
    await page.goto(`${shop}/maps/harrow-fell`)
    await expect(page.locator('#n-stored')).toHaveText('2')
    await page.getByRole('switch').click()
    await expect(page.getByText('off', { exact: true })).toBeVisible()
    page.on('request', (request) => asked.push(request.url()))
    // Several of its rounds, which go to the demo's own server meanwhile.
    await until(() => asked.filter((url) => url.endsWith('/demo/service')).length >= 4, true)
    expect(asked.filter((url) => url.endsWith('/query'))).toEqual([])
    expect(other).toEqual([])

    // A page that opens meanwhile has no last answer to show.
    const late = await context.newPage()
    await late.goto(`${shop}/maps/elderwood`)
    await expect(late.getByText('The service is off. There is no answer to show yet.')).toBeVisible()

    await late.getByRole('switch').click()
    await expect(page.getByRole('switch')).toHaveAttribute('aria-checked', 'true')
    await until(() => asked.some((url) => url.endsWith('/query')), true)
  })

  test('counts what waits and what was sent in all tabs', async ({ page, shop, context, service }) => {
    await page.goto(`${shop}/maps/harrow-fell`)
    await expect(page.locator('#n-sent')).toHaveText('2')
    const tab = await context.newPage()
    await tab.goto(`${shop}/maps/elderwood`)
    await expect(tab.locator('#n-sent')).toHaveText('4')
    await expect(page.locator('#n-sent')).toHaveText('4')

    await service.stop()
    for (const each of [page, tab]) {
      await waymarkOf(each).track('Kept', { much: 'x'.repeat(1000) })
      await until(async () => (await waymarkOf(each).stats()).state, 'waiting')
    }
    await page.getByRole('button', { name: /Put in the basket/ }).click()
    await expect(page.locator('#n-queued')).toHaveText('3')
    await expect(page.locator('#about-queued')).toHaveText('1 not in this page')
    const bytesOf = async (each: typeof page) => (await waymarkOf(each).stats()).bytes
    // Lines end with a sign that is not stored behind the last one.
    const difference = async () => {
      const shown = Number(/(\d+) bytes/.exec(await page.locator('#state-line').innerText())?.[1])
      return Math.abs(shown - (await bytesOf(page)) - (await bytesOf(tab)))
    }
    await expect.poll(difference).toBeLessThanOrEqual(3)
  })

  test('has one name for one person, before and after the sign-up', async ({ page, shop }) => {
    await page.goto(`${shop}/join`)
    const latest = page.getByRole('region', { name: 'Latest rows' })
    const people = page.getByRole('region', { name: 'Persons' })
    const lastCell = (region: typeof latest, column: number) =>
      region.getByRole('row').nth(1).getByRole('cell').nth(column)
    await expect(lastCell(latest, 2)).toHaveText(/^anonymous-.{4}$/)
    expect(await lastCell(people, 0).innerText()).toBe(await lastCell(latest, 2).innerText())

    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill('ada@example.org')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect(lastCell(latest, 2)).toHaveText('Ada')
    await expect(lastCell(people, 0)).toHaveText('Ada')
  })

  test('gives each of its parts room to be read', async ({ page, shop }) => {
    await page.goto(`${shop}/live`)
    const parts = await page
      .locator('.live section')
      .evaluateAll((all) =>
        all.map((part) => [part.getAttribute('aria-labelledby'), part.getBoundingClientRect().width > 300]),
      )
    expect(parts.length).toBeGreaterThan(4)
    expect(parts.filter(([, isWide]) => !isWide)).toEqual([])
  })

  test('lists the columns that SQL can name', async ({ page, shop }) => {
    await page.goto(shop)
    await page.getByText(/^Columns of/).click()
    const columns = page.getByRole('region', { name: 'Columns' })
    await expect(columns.getByText('person_id').first()).toBeVisible()
    await expect(columns.getByText('traits').first()).toBeVisible()
  })

  test('ends a long question at Cancel, and answers the next one', async ({ page, shop, service }) => {
    await page.goto(shop)
    await until(service.events, ['$pageview'])
    const box = page.getByLabel(/SQL over/)
    await box.fill('SELECT sum(a.i * b.i) FROM range(3000000) a(i), range(3000000) b(i)')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByText('Cancelled.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Cancel' })).toBeHidden()
    await box.fill('SELECT count(*) FROM events')
    await box.press('Control+Enter')
    await expect(page.getByRole('region', { name: 'Answer' }).getByRole('cell')).toHaveText(['1'])
  })

  test('says of a change that views are for reading', async ({ page, shop }) => {
    await page.goto(shop)
    await page.getByLabel(/SQL over/).fill('DELETE FROM events')
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(page.getByRole('alert')).toContainText('Views are for reading')
    await expect(page.getByRole('alert')).not.toContainText('Binder Error')
  })

  test('goes on when a visitor makes a table that is called events', async ({ page, shop }) => {
    await page.goto(shop)
    await expect(page.locator('#n-stored')).toHaveText('1')
    await page.getByLabel(/SQL over/).fill('CREATE TABLE events AS SELECT 1 AS x')
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(page.getByRole('region', { name: 'Answer' })).toBeVisible()
    await page.getByRole('link', { name: 'Maps', exact: true }).click()
    await expect(page.locator('#n-stored')).toHaveText('2')
  })
})
