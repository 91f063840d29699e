import type { Browser, Page } from '@playwright/test'
import type { Service } from './fixtures/createService'
import { expect, test } from './fixtures/test'
import { until } from './fixtures/until'
import { waymarkOf } from './fixtures/waymarkOf'

// As those of people, whose browsers have a head: an event of another one is a bot's.
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
test.use({
  launchOptions: async ({ launchOptions }, use) =>
    use({ ...launchOptions, args: [...(launchOptions.args ?? []), `--user-agent=${userAgent}`] }),
})

/** What one visitor does in the shop. The script knows it; it asks neither the library nor the service. */
interface Walk {
  sheets: string[]
  /** Puts the last sheet in the basket. */
  isTaken?: boolean
  /** Orders what is in the basket. */
  isOrdered?: boolean
  name?: string
}

const walks: Walk[] = [
  { sheets: ['elderwood'] },
  { sheets: ['kettle-tarn', 'elderwood'], isTaken: true },
  { sheets: ['kettle-tarn'], isTaken: true, isOrdered: true },
  { sheets: ['elderwood'], isTaken: true, isOrdered: true, name: 'Ada' },
]

/** Every page of a walk, in its order. */
const pagesOf = ({ sheets, isOrdered, name }: Walk) => [
  ...(name ? ['/join'] : []),
  '/',
  '/maps',
  ...sheets.map((sheet) => `/maps/${sheet}`),
  ...(isOrdered ? ['/basket', '/thanks'] : []),
]
const eventsOf = (walk: Walk) => [
  ...pagesOf(walk),
  ...walk.sheets,
  ...[walk.isTaken, walk.isOrdered, walk.name].filter(Boolean),
]
const count = (is: (walk: Walk) => unknown) => walks.filter(is).length

/** Each visitor has a browser profile of their own. */
async function walkThrough(browser: Browser, shop: string, walk: Walk) {
  const context = await browser.newContext()
  const page = await context.newPage()
  const open = async (path: string) => {
    await page.goto(shop + path)
    await waymarkOf(page).loaded()
  }
  if (walk.name) {
    await open('/join')
    await page.getByLabel('Name').fill(walk.name)
    await page.getByLabel('Email').fill('ada@shop.example')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.waitForURL(`${shop}/`)
    await waymarkOf(page).loaded()
  } else await open('/')
  await open('/maps')
  for (const sheet of walk.sheets) await open(`/maps/${sheet}`)
  if (walk.isTaken) await page.locator('[data-add]').click()
  if (walk.isOrdered) {
    await open('/basket')
    await page.getByRole('button', { name: 'Order' }).click()
    await page.waitForURL(/thanks/)
    await waymarkOf(page).loaded()
  }
  // Closing a context takes its disk away: on a busy machine with what the last page has not sent, or not even tracked.
  const isSent = async () => {
    const { sent, queued } = await waymarkOf(page).stats()
    return sent > 0 && queued === 0
  }
  await until(isSent, true)
  await context.close()
}

/** One that runs scripts, and says who it is. */
const crawl = (service: Service) =>
  fetch(`${service.url}/track?apiKey=test-key`, {
    method: 'POST',
    headers: { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    body: JSON.stringify({
      environment: 'production',
      event: '$pageview',
      distinct_id: 'anonymous-crawler',
      properties: {},
    }),
  })

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('every number on the screens is what a script did in the shop', async ({
  browser,
  page,
  shop,
  service,
}) => {
  for (const walk of walks) await walkThrough(browser, shop, walk)
  await crawl(service)
  const events = walks.flatMap(eventsOf).length
  await until(async () => (await service.events()).length, events + 1)

  await page.goto(`${shop}/live`)
  const address = await page.getByRole('link', { name: /Overview, people/ }).getAttribute('href')
  await page.goto(address!)
  await page.getByLabel('Name').fill(service.user)
  await page.getByLabel('Password').fill(service.password)
  await page.getByRole('button', { name: 'Log in' }).click()

  for (const [title, figure] of [
    ['People', walks.length],
    ['Sessions', walks.length],
    ['Page views', walks.flatMap(pagesOf).length],
    ['Events', events],
  ] as const)
    await expect(card(page, 'Totals').getByRole('button', { name: title })).toContainText(`${title}${figure}`)

  const row = (of: string, name: string) =>
    card(page, of)
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name, exact: true }) })
  for (const path of new Set(walks.flatMap(pagesOf)))
    await expect(row('Pages', path).getByRole('cell')).toHaveText([
      String(walks.flatMap(pagesOf).filter((each) => each === path).length),
      String(count((walk) => pagesOf(walk).includes(path))),
      // Nobody came before.
      'new',
    ])
  await expect(row('Events', 'Order Placed').getByRole('cell')).toHaveText([
    String(count(({ isOrdered }) => isOrdered)),
    String(count(({ isOrdered }) => isOrdered)),
    'new',
  ])

  const steps = ['/', 'Map Viewed', 'Added to Basket', 'Order Placed']
  const funnel = await service.sql(
    `SELECT people FROM funnel(['${steps.join("', '")}'], INTERVAL 1 DAY) ORDER BY step`,
  )
  expect(funnel.flat()).toEqual([
    walks.length,
    walks.length,
    count(({ isTaken }) => isTaken),
    count(({ isOrdered }) => isOrdered),
  ])

  await expect(page.getByText('1 event of bots left out')).toBeVisible()
  await page.getByLabel('With bots').check()
  await expect(card(page, 'Totals').getByRole('button', { name: 'People' })).toContainText(
    `People${walks.length + 1}`,
  )
})
