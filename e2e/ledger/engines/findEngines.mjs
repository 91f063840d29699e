import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openChromium } from './openChromium.mjs'
import { openFirefox } from './openFirefox.mjs'
import { openWebkit } from './openWebkit.mjs'

/** @param {string[]} names @returns {string | undefined} */
function findProgram(names) {
  const folders = (process.env.PATH ?? '').split(':')
  const places = names.flatMap((name) =>
    name.includes('/') ? [name] : folders.map((folder) => join(folder, name)),
  )
  return places.find((place) => existsSync(place))
}

function findMiniBrowser() {
  for (const root of ['/usr/lib', '/usr/libexec']) {
    if (!existsSync(root)) continue
    const folders = readdirSync(root).flatMap((name) => [
      join(root, name),
      join(root, name, 'webkit2gtk-4.1'),
    ])
    const found = [join(root, 'webkit2gtk-4.1'), ...folders]
      .map((folder) => join(folder, 'MiniBrowser'))
      .find(existsSync)
    if (found) return found
  }
  return undefined
}

const kinds = {
  chromium: {
    packages: ['chromium'],
    find: () =>
      findProgram(
        [process.env.WAYMARK_CHROMIUM ?? '', 'chromium', 'chromium-browser', 'google-chrome'].filter(Boolean),
      ),
    open: openChromium,
  },
  firefox: {
    packages: ['firefox-esr'],
    find: () => findProgram(['firefox-esr', 'firefox']),
    open: openFirefox,
  },
  webkit: {
    packages: ['webkit2gtk-driver', 'libwebkit2gtk-4.1-0', 'xvfb'],
    find: () => (findProgram(['WebKitWebDriver']) && findProgram(['Xvfb']) ? findMiniBrowser() : undefined),
    open: openWebkit,
  },
}

/** @typedef {keyof typeof kinds} EngineName */
export const engineNames = /** @type {EngineName[]} */ (Object.keys(kinds))

/** @param {string[]} packages @returns {string} why it did not work; empty when it did */
function install(packages) {
  if (process.getuid?.() !== 0) return 'installing packages needs root'
  if (!findProgram(['apt-get'])) return 'there is no apt-get'
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const { status, stderr } = spawnSync('apt-get', args, { env, encoding: 'utf8' })
    if (status !== 0) return `apt-get ${args[0]} failed: ${stderr.trim().split('\n').at(-1)}`
  }
  return ''
}

/** @param {EngineName} name @param {string} binary */
function versionOf(name, binary) {
  // MiniBrowser tells its version only on a screen.
  const [command, ...args] =
    name === 'webkit'
      ? ['dpkg-query', '--show', '--showformat=${Version}', 'libwebkit2gtk-4.1-0']
      : [binary, '--version']
  const { stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: 10_000 })
  return /\d+(\.\d+)+/.exec(stdout ?? '')?.[0] ?? 'of unknown version'
}

/**
 * An engine that is on this machine, or that Debian's packages bring.
 * @param {EngineName} name
 * @returns {import('./types').Engine | string} a sentence says why there is none
 */
export function findEngine(name) {
  const { packages, find, open } = kinds[name]
  let binary = find()
  let reason = ''
  if (!binary) {
    reason = install(packages)
    binary = find()
  }
  if (!binary) return `${name} is not here (${reason || `${packages.join(' ')} did not bring it`})`
  return open(binary, versionOf(name, binary))
}
