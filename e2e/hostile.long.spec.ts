import type { Page } from '@playwright/test'
import { expect, test } from './fixtures/test'
import { send } from './fixtures/shopVisits'

/** A text that would run as a script if a page took it for HTML, and says where it came from. */
const hostile = (where: string) =>
  `${where} "'><img src="x" onerror="window.hacked='${where}'"><script>window.hacked='${where}'</script><a href="javascript:hack()">`

const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const script = "javascript:window.hacked='address'"
const id = hostile('id')

const visits = [0, 1, 2].flatMap((visit) =>
  [hostile('name'), '$pageview', '$pageview', 'of a crawler'].map((event, step) => ({
    environment: 'production',
    event,
    timestamp: Date.now() - (60 - step) * 1000,
    anonymous_id: `${id} ${visit}`,
    // A session with an event of a crawler is a crawler's.
    session_id: `${hostile('session')} ${step === 3 ? 'crawled' : visit}`,
    device_id: hostile('device'),
    properties: {
      $url: step === 2 ? script : `https://shop.example/${hostile('path')}`,
      $referer: step === 0 ? `https://${hostile('host')}/` : script,
      $user_agent: step === 3 ? hostile('agent') : userAgent,
      $device: hostile('kind'),
      $os: hostile('system'),
      $utm_source: hostile('source'),
      $utm_campaign: hostile('campaign'),
      [hostile('property')]: hostile('value'),
      nested: { [hostile('key')]: [hostile('item'), script] },
      link: script,
    },
  })),
)
/** What the plugins errors and web-vitals record, of the first visitor. */
const recorded = [
  {
    event: 'Error Caught',
    properties: {
      kind: 'error',
      name: hostile('error'),
      message: hostile('message'),
      stack: hostile('stack'),
      $release: hostile('release'),
    },
  },
  { event: 'Web Vital', properties: { name: 'LCP', value: 1200, id: 'measured' } },
  { event: 'Web Vital', properties: { name: hostile('vital'), value: script, rating: hostile('rating') } },
].map(({ event, properties }) => ({
  environment: 'production',
  event,
  timestamp: Date.now() - 1000,
  anonymous_id: `${id} 0`,
  session_id: `${hostile('session')} 0`,
  properties: {
    $url: `https://shop.example/${hostile('path')}`,
    $user_agent: userAgent,
    $device: hostile('kind'),
    ...properties,
  },
}))
const user = {
  environment: 'production',
  distinct_id: hostile('user'),
  anonymous_id: `${id} 0`,
  traits: { name: hostile('trait'), email: script, [hostile('trait name')]: hostile('trait value') },
}

const search = (entries: readonly (readonly [string, string])[]) =>
  new URLSearchParams(entries.map(([name, value]) => [name, value])).toString()
const ask = `SELECT '${hostile('cell').replaceAll("'", "''")}' AS "${hostile('column').replaceAll('"', '""')}", * FROM events`

/** Each screen, with what it must show of the texts. */
const screens: readonly (readonly [string, string, readonly string[]])[] = [
  ['the overview', '/app/', ['path', 'name']],
  ['its referrers', `/app/?${search([['by_sources', 'referrer_host']])}`, ['host']],
  [
    'its second tabs',
    `/app/?${search([
      ['by_sources', 'utm_source'],
      ['by_devices', 'os'],
      ['by_pages', 'exit'],
    ])}`,
    ['source', 'system'],
  ],
  [
    'its third tabs',
    `/app/?${search([
      ['by_sources', 'utm_campaign'],
      ['by_devices', 'device'],
      ['by_pages', 'entry'],
    ])}`,
    ['campaign', 'kind', 'path'],
  ],
  [
    'the overview of one source',
    `/app/?${search([
      ['filter', `utm_source|is|${hostile('source')}`],
      ['by_sources', 'utm_source'],
    ])}`,
    ['source'],
  ],
  ['the live events', '/app/live', ['name']],
  ['the persons', '/app/persons', ['trait']],
  [
    'a person',
    `/app/persons?${search([['id', hostile('user')]])}`,
    ['trait', 'name', 'message', 'vital', 'rating'],
  ],
  [
    'the events of a name',
    `/app/persons?${search([
      ['id', hostile('user')],
      ['event', hostile('name')],
    ])}`,
    ['name'],
  ],
  [
    'the persons by a trait',
    `/app/persons?${search([['filter', `trait.${hostile('trait name')}|is|${hostile('trait value')}`]])}`,
    ['trait name', 'trait value'],
  ],
  ['a search for persons', `/app/persons?${search([['q', hostile('trait')]])}`, ['trait']],
  [
    'a funnel',
    `/app/funnel?${search([
      ['step', hostile('name')],
      ['step', '/'],
      ['by', hostile('property')],
      ['people', 'reached-1'],
    ])}`,
    ['name'],
  ],
  ['the retention', `/app/retention?${search([['first', hostile('name')]])}`, []],
  ['the paths', '/app/paths', ['path']],
  ['the paths, folded', `/app/paths?${search([['fold', `/${hostile('path')}*`]])}`, ['path']],
  ['the paths from one page', `/app/paths?${search([['start', `/${hostile('path')}`]])}`, ['path']],
  ['a figure by a property', `/app/explore?${search([['by', hostile('property')]])}`, []],
  [
    'the figure of one event',
    `/app/explore?${search([
      ['event', hostile('name')],
      ['by', 'os'],
    ])}`,
    ['system'],
  ],
  ['the errors', '/app/errors', ['message', 'error', 'release', 'stack']],
  ['the vitals', '/app/vitals', ['path', 'kind']],
  ['a result', `/app/sql?${search([['q', ask]])}`, ['cell', 'column', 'system']],
  [
    'a chart',
    `/app/sql?${search([
      ['q', 'SELECT event, count(*) AS n FROM events GROUP BY event'],
      ['show', 'chart'],
    ])}`,
    [],
  ],
  [
    'a refused statement',
    `/app/sql?${search([['q', `SELECT "${hostile('wrong').replaceAll('"', '""')}" FROM events`]])}`,
    ['wrong'],
  ],
]

/** What a text has left in the page if it was taken for HTML, whether or not it could run. */
const traces = (page: Page) =>
  page.evaluate(() => ({
    hacked: (window as { hacked?: string }).hacked,
    injected: document.querySelectorAll('img[src="x"], script:not([src]), [onerror]').length,
    addresses: [...document.querySelectorAll('[href], [src], [action]')]
      .flatMap((each) => ['href', 'src', 'action'].map((name) => each.getAttribute(name) ?? ''))
      .filter((address) => address.trim().toLowerCase().startsWith('javascript:')),
  }))

test('texts that are scripts stay texts on every screen', async ({ page, service, complaints }) => {
  await send(service.url, '/track', [...visits, ...recorded])
  await send(service.url, '/identify', [user])
  await page.goto(`${service.url}/app/`)
  await page.getByLabel('Name').fill(service.user)
  await page.getByLabel('Password').fill(service.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible()
  for (const [name, address, shown] of screens) {
    await test.step(name, async () => {
      await page.goto(`${service.url}${address}`)
      const run = page.getByRole('button', { name: 'Run' })
      if (address.startsWith('/app/sql')) await run.click()
      for (const where of shown) await expect.soft(page.getByText(`${where} "'><img`).first()).toBeAttached()
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
      expect(await traces(page)).toEqual({ hacked: undefined, injected: 0, addresses: [] })
    })
  }
  // The first page asks who is logged in, and nobody is; the last statement is wrong.
  expect(complaints.filter((text) => !/status of 40[01]/.test(text))).toEqual([])
})

test('who guesses at the login form is told to wait', async ({ page, service }) => {
  await page.goto(`${service.url}/app/`)
  const answers: number[] = []
  const guess = async (password: string) => {
    await page.getByLabel('Name').fill(service.user)
    await page.getByLabel('Password').fill(password)
    const answered = page.waitForResponse((response) => response.url().endsWith('/session'))
    await page.getByRole('button', { name: 'Log in' }).click()
    answers.push((await answered).status())
    await expect(page.getByRole('button', { name: 'Log in' })).toBeEnabled()
  }
  while (answers.at(-1) !== 429) {
    await guess(`guess ${answers.length}`)
    expect(answers.length).toBeLessThan(60)
  }
  // Twenty at once; the two seconds that give another one may pass meanwhile.
  expect(answers.slice(0, 20)).toEqual(answers.slice(0, 20).map(() => 401))
  await expect(page.getByRole('alert')).toContainText(/wait|again/i)
})
