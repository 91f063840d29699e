import { setTimeout as delay } from 'node:timers/promises'
import type { ServerOptions } from './options/flags.js'
import { type RunningEngine, startEngine } from './engine/startEngine.js'
import { startIngest } from './startIngest.js'
import { whyFailing } from './wal/rejected.js'

export type { LogLevel } from './Logger.js'
export type { ServerOptions } from './options/flags.js'

export interface RunningServer {
  url: string
  /** Undefined when the Postgres protocol was not asked for. */
  postgresPort: number | undefined
  /** Stops taking requests, lets running ones end, and closes the store. */
  close(): Promise<void>
}

const linkWaitMs = 10_000
const startAgainMs = 1000

/**
 * Starts both parts of the service in this one process, for tests and for programs with a supervision of their
 * own: a query that takes all memory ends both parts. The command line starts two processes instead.
 * Rejects with one sentence that says why the service cannot start.
 */
export const startServer = async (options: Omit<ServerOptions, 'role'> = {}): Promise<RunningServer> => {
  const ingest = await startIngest(options)
  const front = ingest.engine!
  let engine: Promise<RunningEngine>
  let closed: Promise<void> | undefined
  const start = (): Promise<RunningEngine> =>
    startEngine(options, {
      shared: front.store,
      restart() {
        // An engine that ends with the server may still ask; another one would outlive the server.
        if (closed === undefined) engine = engine.then((running) => running.close()).then(startAgain)
      },
    })
  /** Restarts the engine, as the supervisor does for an engine in a process of its own. */
  const startAgain = async (): Promise<RunningEngine> => {
    for (;;) {
      try {
        return await start()
      } catch (error) {
        front.view.fail(whyFailing(error))
        if (closed !== undefined) throw error
        await delay(startAgainMs)
      }
    }
  }
  try {
    await (engine = start())
  } catch (error) {
    await ingest.stop()
    await ingest.close()
    throw error
  }
  await front.link.whenUp(linkWaitMs)
  const close = async () => {
    await ingest.stop()
    await engine.then(
      (running) => running.close(),
      () => undefined,
    )
    await ingest.close()
  }
  return { url: ingest.url, postgresPort: ingest.postgresPort, close: () => (closed ??= close()) }
}
