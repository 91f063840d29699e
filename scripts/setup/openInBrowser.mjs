import { spawn } from 'node:child_process'

/** @type {Partial<Record<NodeJS.Platform, string[]>>} */
const openers = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }

/**
 * Opens an address in the browser that the machine uses; says so where there is none.
 * @param {string} url
 */
export function openInBrowser(url) {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () =>
      console.log(`  No browser could be opened (${command} is missing): open ${url} yourself.`),
    )
    .unref()
}
