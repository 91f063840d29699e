import { join } from 'node:path'
import { Builder, Capabilities } from 'selenium-webdriver'
import { killRenderers, killTree } from './processTree.mjs'
import { freePort } from '../../../scripts/setup/freePort.mjs'
import { startProcess } from './startProcess.mjs'
import { patienceMs, waitFor } from './waitFor.mjs'

/** @returns {Promise<{ display: string, pid: number }>} */
async function startScreen() {
  const { child, pid } = startProcess(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  )
  let text = ''
  child.stdio[3]?.on('data', (chunk) => (text += chunk))
  await waitFor('Xvfb starts', () => text.endsWith('\n'))
  return { display: `:${text.trim()}`, pid }
}

/** It takes no 0 for a port, and ends where somebody else has the one that was free. @param {NodeJS.ProcessEnv} env */
async function startDriver(env) {
  for (let tries = 3; tries > 0; tries--) {
    const port = await freePort()
    const { pid, ended } = startProcess('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], { env })
    let state = ''
    void ended.then(() => (state = 'ended'))
    const isUp = () => fetch(`http://127.0.0.1:${port}/status`).then(() => (state ||= 'up'))
    const found = await waitFor('WebKitWebDriver starts', () => state || isUp().catch(() => ''))
    if (found === 'up') return { port, pid }
  }
  throw new Error('WebKitWebDriver ends as soon as it is started')
}

/**
 * WebKitGTK's MiniBrowser on a screen of its own. A driver's session keeps its storage in memory alone, so whatever
 * must outlive the browser runs without one.
 * @param {string} binary
 * @param {string} version
 * @returns {import('./types').Engine}
 */
export function openWebkit(binary, version) {
  /** @type {ReturnType<typeof startScreen> | undefined} */
  let screen
  const environment = async (/** @type {string} */ profile) => {
    screen ??= startScreen()
    return {
      ...process.env,
      // It takes `C.UTF-8` for a language, and then `Intl` throws; `C` is English.
      LC_ALL: 'C',
      DISPLAY: (await screen).display,
      GDK_BACKEND: 'x11',
      XDG_DATA_HOME: join(profile, 'data'),
      XDG_CACHE_HOME: join(profile, 'cache'),
      XDG_CONFIG_HOME: join(profile, 'config'),
    }
  }
  const flags = (/** @type {number} */ proxyPort) => [
    '--javascript-can-open-windows-automatically=true',
    `--proxy=http://127.0.0.1:${proxyPort}`,
    '--ignore-host=127.0.0.1',
    '--ignore-host=localhost',
  ]

  return {
    name: 'webkit',
    version,

    async launch({ profile, proxyPort }) {
      const { port, pid } = await startDriver(await environment(profile))
      const driver = await new Builder()
        .usingServer(`http://127.0.0.1:${port}`)
        .withCapabilities(
          new Capabilities({
            browserName: 'MiniBrowser',
            'webkitgtk:browserOptions': { binary, args: ['--automation', ...flags(proxyPort)] },
          }),
        )
        .build()
      await driver.manage().setTimeouts({ script: patienceMs, pageLoad: patienceMs })
      const home = await driver.getWindowHandle()

      // The driver has one current window: choosing it and acting in it is one step.
      let last = Promise.resolve()
      /** @template T @param {string} handle @param {() => Promise<T>} act @returns {Promise<T>} */
      const inWindow = (handle, act) => {
        const mine = last.then(async () => {
          await driver.switchTo().window(handle)
          return act()
        })
        last = mine.then(
          () => {},
          () => {},
        )
        return mine
      }
      return {
        pid,
        killRenderers: async () => killRenderers(pid, /WebKitWebProcess/),
        async open(url) {
          const handle = await inWindow(home, async () => {
            await driver.switchTo().newWindow('tab')
            await driver.get(url)
            return driver.getWindowHandle()
          })
          /** @param {string} expression */
          const run = (expression) =>
            inWindow(handle, () =>
              driver.executeAsyncScript(
                `const done = arguments[0]; Promise.resolve(${expression}).then(done, (error) => done(String(error)))`,
              ),
            )
          return {
            goto: (next) => inWindow(handle, () => driver.get(next)),
            reload: () => inWindow(handle, () => driver.navigate().refresh()),
            run,
            back: async () => void (await run('void setTimeout(() => history.back())')),
            forward: async () => void (await run('void setTimeout(() => history.forward())')),
            close: () => inWindow(handle, () => driver.close()),
          }
        },
        async close() {
          await Promise.race([
            driver.quit().catch(() => {}),
            new Promise((resolve) => setTimeout(resolve, 5000)),
          ])
          await killTree(pid)
        },
      }
    },

    async launchAlone({ profile, proxyPort, url }) {
      const env = await environment(profile)
      const { pid } = startProcess(binary, [...flags(proxyPort), url], { env })
      return {
        pid,
        killRenderers: async () => killRenderers(pid, /WebKitWebProcess/),
        killBrowser: () => killTree(pid),
        stop: async () => void (await killTree(pid)),
      }
    },

    async dispose() {
      if (screen) await killTree((await screen).pid)
    },
  }
}
