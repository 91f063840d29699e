import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** @param {number} pid */
const commandLine = (pid) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')

/** @param {number} pid */
export function isAlive(pid) {
  const stat = read(`/proc/${pid}/stat`)
  // A zombie holds no files and no locks.
  return stat !== '' && !/\) Z /.test(stat)
}

/**
 * The processes that descend from `root`, from /proc.
 * @param {number} root
 * @returns {number[]}
 */
export function listDescendants(root) {
  /** @type {Map<number, number[]>} */
  const children = new Map()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    // The name in brackets may hold spaces and brackets of its own.
    const parent = Number(/.*\) \S (\d+)/s.exec(read(`/proc/${entry}/stat`))?.[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
  }
  const found = []
  const open = [root]
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    const next = children.get(pid) ?? []
    found.push(...next)
    open.push(...next)
  }
  return found
}

/** @param {number[]} pids */
export function endProcesses(pids) {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}

/**
 * Kills one process the hard way, and waits until all that it had started is gone too.
 * @param {number} pid
 * @returns {Promise<number>} the time of the kill, in Unix milliseconds
 */
export async function killTree(pid) {
  const family = listDescendants(pid)
  const at = Date.now()
  endProcesses([pid])
  for (let waitedMs = 0; [pid, ...family].some(isAlive); waitedMs += 20) {
    // They notice the lost pipe by themselves; who does not within a second is helped.
    if (waitedMs > 1000) endProcesses(family)
    await sleep(20)
  }
  return at
}

/**
 * Kills the processes that render a browser's pages, known by their command lines.
 * @param {number} browser
 * @param {RegExp} isRenderer
 * @returns {number} the time of the kill, in Unix milliseconds
 */
export function killRenderers(browser, isRenderer) {
  const renderers = listDescendants(browser).filter((pid) => isRenderer.test(commandLine(pid)))
  const at = Date.now()
  endProcesses(renderers)
  return at
}
