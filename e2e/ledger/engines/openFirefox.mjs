import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import puppeteer from 'puppeteer-core'
import { asAlone, asTab } from './asTab.mjs'
import { killRenderers, killTree } from './processTree.mjs'
import { startProcess } from './startProcess.mjs'
import { waitFor } from './waitFor.mjs'

/** @param {number} proxyPort */
const preferences = (proxyPort) => ({
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.sessionstore.resume_from_crash': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'datareporting.policy.dataSubmissionPolicyBypassNotification': true,
  'dom.disable_open_during_load': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': proxyPort,
  'toolkit.startup.max_resumed_crashes': -1,
  'toolkit.telemetry.enabled': false,
})

/**
 * Firefox: started raw, so that its process is ours to kill; driven by Puppeteer over WebDriver BiDi.
 * @param {string} binary
 * @param {string} version
 * @returns {import('./types').Engine}
 */
export function openFirefox(binary, version) {
  /** @param {import('./types').LaunchOptions} options @param {string[]} more */
  const start = ({ profile, proxyPort }, more) => {
    rmSync(join(profile, 'WebDriverBiDiServer.json'), { force: true })
    const lines = Object.entries(preferences(proxyPort)).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    )
    writeFileSync(join(profile, 'user.js'), lines.join('\n'))
    const { pid } = startProcess(binary, ['--headless', '--no-remote', '--profile', profile, ...more])
    return { pid, killRenderers: async () => killRenderers(pid, /-contentproc .* tab ?$/) }
  }

  return {
    name: 'firefox',
    version,

    async launch(options) {
      const { pid, killRenderers: kill } = start(options, ['--remote-debugging-port=0', 'about:blank'])
      const portFile = join(options.profile, 'WebDriverBiDiServer.json')
      const { ws_host: host, ws_port: port } = await waitFor('Firefox starts', () => {
        const text = existsSync(portFile) ? readFileSync(portFile, 'utf8') : ''
        // It may be half written.
        return text.trimEnd().endsWith('}') ? JSON.parse(text) : null
      })
      const browser = await puppeteer.connect({
        browserWSEndpoint: `ws://${host}:${port}/session`,
        protocol: 'webDriverBiDi',
        defaultViewport: null,
      })
      return {
        pid,
        killRenderers: kill,
        async open(url) {
          const page = await browser.newPage().catch((error) => {
            // It may lose a tab that it makes while another one closes.
            if (/no such frame/.test(error.message)) return browser.newPage()
            throw error
          })
          await page.goto(url)
          return asTab(page)
        },
        async close() {
          await browser.disconnect().catch(() => {})
          await killTree(pid)
        },
      }
    },

    async launchAlone(options) {
      return asAlone(start(options, [options.url]))
    },

    async dispose() {},
  }
}
