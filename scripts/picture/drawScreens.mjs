// node scripts/picture/drawScreens.mjs: draws docs/screens.png anew, the picture of the service's screens. It starts
// the service with empty data, sends visits of two months, logs in with Chromium, saves a goal, and takes the picture.
import { startService } from '../startService.mjs'
import { ensureBuilt } from '../setup.mjs'
import { takePicture } from './takePicture.mjs'

const days = 60
const paths = [
  '/',
  '/maps',
  '/maps/elderwood',
  '/maps/kettle-tarn',
  '/maps/ness-and-skerries',
  '/basket',
  '/join',
]
const referrers = ['', 'https://search.example/', 'https://walkers.example/', 'https://news.example/']

/** In full: a shorter one is a bot's. */
const agents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
]

/** Gives equal numbers from 0 to 1 at every run. */
function createRandom() {
  let state = 7
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32
}

/** Some visits a day, more as the weeks go by and fewer at the weekend. */
function makeEvents() {
  const random = createRandom()
  /** The first ones are taken most often. @template T @param {T[]} list */
  const pick = (list) => list[Math.floor(random() ** 2 * list.length)]
  const now = Date.now()
  return Array.from({ length: days }, (_, day) => {
    const at = now - (days - day) * 86_400_000
    const isWeekend = [0, 6].includes(new Date(at).getUTCDay())
    const visits = Math.round((25 + day / 2 + random() * 12) * (isWeekend ? 0.6 : 1))
    return Array.from({ length: visits }, (_visit, visit) => {
      const person = Math.floor(random() ** 1.5 * 700)
      const start = at + random() * 86_000_000
      const referrer = pick(referrers)
      return Array.from({ length: 1 + Math.floor(random() ** 2 * 7) }, (_view, view) => ({
        environment: 'production',
        event: view % 3 === 2 ? pick(['Map Viewed', 'Added to Basket', 'Order Placed']) : '$pageview',
        timestamp: Math.round(Math.min(now, start + view * 45_000)),
        distinct_id: `visitor-${person}`,
        session_id: `session-${day}-${visit}`,
        properties: {
          $url: `https://shop.example${pick(paths)}`,
          ...(referrer ? { $referer: referrer } : {}),
          ...(person % 3 === 0 ? { $utm_source: 'newsletter' } : {}),
          $user_agent: agents[person % agents.length],
        },
      }))
    })
  }).flat(2)
}

/** The service with all these visits in it. @param {string} data */
async function startVisited(data) {
  const service = await startService({ data, apiKeys: 'picture', users: 'ada:lovelace' })
  const sent = await fetch(`${service.url}/track?sync=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'picture' },
    body: JSON.stringify(makeEvents()),
  })
  if (!sent.ok) throw new Error(await sent.text())
  return service
}

/** @param {import('playwright').Page} page @param {string} url */
async function logIn(page, url) {
  await page.goto(url)
  await page.getByLabel('Name').fill('ada')
  await page.getByLabel('Password').fill('lovelace')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('region', { name: 'Devices' }).waitFor()
  const saved = await page.request.post(`${url}/saved`, {
    headers: { origin: url },
    data: { kind: 'goal', name: 'An order', value: { event: 'Order Placed' } },
  })
  if (!saved.ok()) throw new Error(await saved.text())
  await page.goto(`${url}/app/?goal=An+order`)
  await page.getByRole('region', { name: 'Devices' }).getByRole('rowheader').first().waitFor()
  await page.getByText('Asking …').waitFor({ state: 'detached' })
  await page.locator('.chart-frame canvas').waitFor()
}

await ensureBuilt()
await takePicture('docs/screens.png', startVisited, logIn)
