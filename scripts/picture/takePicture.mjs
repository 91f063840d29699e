import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { ensureBrowser } from '../setup.mjs'
import { root } from '../setup/root.mjs'
import { reduceColours } from './reduceColours.mjs'

const mostBytes = 150_000

/**
 * Starts what is shown, with empty data, and writes a picture of it into the docs.
 * @param {string} file in the repository
 * @param {(data: string) => Promise<{ url: string, stop(): Promise<unknown> }>} start
 * @param {(page: import('playwright').Page, url: string) => Promise<void>} show brings the page to what is to be seen
 */
export async function takePicture(file, start, show) {
  const data = await mkdtemp(join(tmpdir(), 'waymark-picture-'))
  const shown = await start(data)
  try {
    const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage({
        viewport: { width: 1280, height: 880 },
        colorScheme: 'light',
        timezoneId: 'Europe/Berlin',
      })
      await show(page, shown.url)
      const drawn = await page.screenshot()
      await page.goto('about:blank')
      await writeFile(join(root, file), await reduceColours(page, drawn))
    } finally {
      await browser.close()
    }
  } finally {
    await shown.stop()
    await rm(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  const { size } = await stat(join(root, file))
  console.log(`${file}: ${size} bytes`)
  if (size > mostBytes) throw new Error(`The picture has more than ${mostBytes} bytes.`)
}
