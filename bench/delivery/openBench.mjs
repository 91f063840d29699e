import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findEngine } from '../../e2e/ledger/engines/findEngines.mjs'
import { commandLine, listDescendants } from '../../e2e/ledger/engines/processTree.mjs'
import { createSink } from './createSink.mjs'
import { servePages } from './servePages.mjs'

/** Time that a process's main thread has been on a processor, in milliseconds (the kernel counts nanoseconds). */
const readThreadMs = (/** @type {number} */ pid) => {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}

/** Time that a browser's processes have been on a processor, in milliseconds (the kernel counts ticks of 10 ms). */
const readAllMs = (/** @type {number} */ browser) => {
  let ticks = 0
  for (const pid of [browser, ...listDescendants(browser)]) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // Ended meanwhile.
    }
  }
  return ticks * 10
}

/**
 * One Chromium, one sink, and pages with a queue that starts empty.
 * @template {Sink} [S=import('./createSink.mjs').Sink]
 * @param {{ pages?: Pages, sink?: S, flags?: string[] }} [parts] pages and sink of another bench, flags for Chromium
 */
export async function openBench(parts = {}) {
  const engine = findEngine('chromium')
  if (typeof engine === 'string') throw new Error(engine)
  const pages = parts.pages ?? (await servePages())
  const sink = /** @type {S} */ (parts.sink ?? (await createSink()))
  const profiles = []
  /** @type {import('../../e2e/ledger/engines/types').Session | undefined} */
  let session

  /** A browser of its own for each page: no queue of another measurement, no warm code. */
  const open = async (/** @type {object} */ plan, niceness = -15) => {
    await session?.close()
    const profile = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
    profiles.push(profile)
    const browser = await engine.launch({ profile, proxyPort: pages.port, flags: parts.flags ?? [] })
    session = browser
    const full = { endpoint: sink.url, queue: 'waymark', ...plan }
    const { pid } = browser
    const visit = () => browser.open(`${pages.url}/page?plan=${encodeURIComponent(JSON.stringify(full))}`)
    const tab = await visit()

    const renderers = listDescendants(pid).filter((child) => /--type=renderer/.test(commandLine(child)))
    for (const renderer of renderers) {
      try {
        // What else the machine does should not count; a process id names the main thread.
        setPriority(renderer, niceness)
      } catch {
        // Only root may. Then the machine had better be quiet.
      }
    }

    /** Which process runs the page: the one that gets busy when the page does. */
    const findPid = async () => {
      for (;;) {
        const before = renderers.map(readThreadMs)
        await tab.run('bench.spin(150)')
        const grown = renderers.map((renderer, index) => readThreadMs(renderer) - (before[index] ?? 0))
        const most = Math.max(...grown)
        const page = renderers[grown.indexOf(most)]
        // A process that has just been started may be busy for a moment, too.
        if (page && most > 75 && grown.filter((ms) => ms > most / 3).length === 1) return page
      }
    }
    return {
      run: tab.run,
      /** Opens the page once more, in the same browser. */
      visit,
      /**
       * Processor time of `act` in milliseconds: of the page's main thread, and of all of the browser.
       * @param {() => Promise<unknown>} act
       */
      async cpu(act) {
        const renderer = await findPid()
        const before = { mainMs: readThreadMs(renderer), allMs: readAllMs(pid) }
        await act()
        return { mainMs: readThreadMs(renderer) - before.mainMs, allMs: readAllMs(pid) - before.allMs }
      },
    }
  }

  return {
    version: engine.version,
    sink,
    open,
    async close() {
      await session?.close()
      await engine.dispose()
      await sink.close()
      pages.close()
      for (const profile of profiles) rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** @typedef {Awaited<ReturnType<typeof servePages>>} Pages */
/** @typedef {{ url: string, close(): Promise<void> }} Sink */
/** @typedef {Awaited<ReturnType<typeof openBench>>} Bench */
