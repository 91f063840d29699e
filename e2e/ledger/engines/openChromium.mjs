import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { asAlone, asTab } from './asTab.mjs'
import { killRenderers, killTree } from './processTree.mjs'
import { startProcess } from './startProcess.mjs'
import { waitFor } from './waitFor.mjs'

/**
 * Chromium: started raw, so that its page cache is on and its process is ours to kill; driven by Playwright.
 * @param {string} binary
 * @param {string} version
 * @returns {import('./types').Engine}
 */
export function openChromium(binary, version) {
  /** @param {import('./types').LaunchOptions} options @param {string[]} more */
  const start = ({ profile, proxyPort, flags = [] }, more) => {
    // Left behind by a killed browser; it would name a dead port.
    rmSync(join(profile, 'DevToolsActivePort'), { force: true })
    const started = startProcess(binary, [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-popup-blocking',
      '--disable-background-networking',
      '--disable-component-update',
      // A renderer in reserve is killed with the others, and given to the next page before the browser knows.
      '--disable-features=SpareRendererForSitePerProcess',
      '--no-first-run',
      '--password-store=basic',
      `--proxy-server=http://127.0.0.1:${proxyPort}`,
      `--user-data-dir=${profile}`,
      ...flags,
      ...more,
    ])
    const { pid } = started
    const kill = async () => killRenderers(pid, /--type=renderer/)
    return { pid, killRenderers: kill, ended: started.ended }
  }

  return {
    name: 'chromium',
    version,

    async launch(options) {
      const { pid, killRenderers: kill } = start(options, ['--remote-debugging-port=0', 'about:blank'])
      const portFile = join(options.profile, 'DevToolsActivePort')
      const port = await waitFor('Chromium starts', () =>
        // The port stands in the first of two lines.
        existsSync(portFile) ? /^(\d+)\n./.exec(readFileSync(portFile, 'utf8'))?.[1] : '',
      )
      const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
      const context = browser.contexts()[0]
      if (!context) throw new Error('Chromium has no default context')
      return {
        pid,
        killRenderers: kill,
        async open(url) {
          const page = await context.newPage()
          await page.goto(url)
          return asTab(page)
        },
        async close() {
          await browser.close().catch(() => {})
          await killTree(pid)
        },
      }
    },

    async launchAlone(options) {
      return asAlone(start(options, ['--remote-debugging-port=0', options.url]))
    },

    async dispose() {},
  }
}
