import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installDebianPackage } from './installDebianPackage.mjs'
import { run } from './run.mjs'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge']
const fixedPaths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Playwright's own Chromium: the path where it is, or would be. */
async function playwrightsPath() {
  const { chromium } = await import('playwright')
  return chromium.executablePath()
}

/** @param {string} path */
async function starts(path) {
  if (!existsSync(path)) return false
  // Chrome on Windows opens a window at --version instead of printing it.
  if (process.platform === 'win32') return true
  const { code } = await run(path, ['--version'], { quiet: true, timeoutMs: 120_000 })
  return code === 0
}

async function findBrowser() {
  const inPath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((dir) => names.map((name) => join(dir, name)))
  for (const path of [await playwrightsPath(), ...inPath, ...fixedPaths]) if (await starts(path)) return path
  return undefined
}

/**
 * The path of a Chromium that starts: the one in `WAYMARK_CHROMIUM`, Playwright's own, one that is installed,
 * else Playwright's download, else Debian's package. Needs the packages installed.
 * @returns {Promise<string>}
 */
export async function ensureBrowser() {
  const wanted = process.env.WAYMARK_CHROMIUM
  if (wanted) {
    if (await starts(wanted)) return wanted
    throw new Error(`WAYMARK_CHROMIUM is ${wanted}, and no browser starts from there.`)
  }
  const found = await findBrowser()
  if (found) return found

  console.log('· no Chromium here: trying Playwright’s download')
  const download = ['playwright', 'install', 'chromium', '--no-shell']
  await run('npx', download, { env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '15000' }, timeoutMs: 300_000 })
  const downloaded = await findBrowser()
  if (downloaded) return downloaded

  console.log('· that gave no browser that starts: trying Debian’s package (apt-get install chromium)')
  await installDebianPackage('chromium')
  const installed = await findBrowser()
  if (installed) return installed
  throw new Error(
    'No Chromium could be found, downloaded or installed. Install one and name it: WAYMARK_CHROMIUM=/path npm test',
  )
}
