// node scripts/screensPicture.mjs: draws docs/screens.png anew, the picture of the service's screens. It starts the
// service with empty data, sends visits of two months, logs in with Chromium, and takes the picture.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { startService } from '../demo/server/startService.mjs'
import { ensureBrowser, ensureBuilt } from './setup.mjs'
import { reduceColours } from './setup/reduceColours.mjs'
import { root } from './setup/root.mjs'

const picture = join(root, 'docs/screens.png')
const mostBytes = 150_000
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

/** The same numbers from 0 to 1 at every run. */
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
          $os: ['Windows', 'macOS', 'Android', 'iOS', 'Linux'][person % 5],
          $user_agent: ['Chrome/140.0', 'Version/18.0 Safari/605.1', 'Firefox/140.0'][person % 3],
        },
      }))
    })
  }).flat(2)
}

await ensureBuilt()
const data = await mkdtemp(join(tmpdir(), 'waymark-picture-'))
const service = await startService({ data, apiKeys: 'picture', users: 'ada:lovelace' })
try {
  const sent = await fetch(`${service.url}/track?sync=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'picture' },
    body: JSON.stringify(makeEvents()),
  })
  if (!sent.ok) throw new Error(await sent.text())
  const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 880 },
      colorScheme: 'light',
      timezoneId: 'Europe/Berlin',
    })
    await page.goto(service.url)
    await page.getByLabel('Name').fill('ada')
    await page.getByLabel('Password').fill('lovelace')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('region', { name: 'Devices' }).getByRole('rowheader').first().waitFor()
    await page.getByText('Asking …').waitFor({ state: 'detached' })
    await page.locator('.chart-frame canvas').waitFor()
    const drawn = await page.screenshot()
    await page.goto('about:blank')
    await writeFile(picture, await reduceColours(page, drawn))
  } finally {
    await browser.close()
  }
  const { size } = await stat(picture)
  console.log(`docs/screens.png: ${size} bytes`)
  if (size > mostBytes) throw new Error(`The picture has more than ${mostBytes} bytes.`)
} finally {
  await service.stop()
  await rm(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}
