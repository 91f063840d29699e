// node scripts/picture/drawScreens.mjs: draws docs/screens.png anew, the picture of the service's screens. It starts
// the service with empty data, sends visits of two months, logs in with Chromium, saves a goal, and takes the picture.
import { sendShop } from '../../e2e/fixtures/shop.mjs'
import { startService } from '../startService.mjs'
import { ensureBuilt } from '../setup.mjs'
import { takePicture } from './takePicture.mjs'

/** The service with two months of a shop in it. @param {string} data */
async function startVisited(data) {
  const service = await startService({ data, apiKeys: 'picture', users: 'ada:lovelace' })
  await sendShop(service.url, 'picture')
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
