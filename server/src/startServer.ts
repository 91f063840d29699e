import type { ServerOptions } from './options/ServerOptions.js'
import { startEngine, type RunningEngine } from './startEngine.js'
import { startIngest } from './startIngest.js'

export interface RunningServer {
  url: string
  /** Undefined when the Postgres protocol was not asked for. */
  postgresPort: number | undefined
  /** Stops taking requests, lets running ones end, and closes the store. */
  close(): Promise<void>
}

const linkWaitMs = 10_000

/**
 * Both halves of the service in this one process, for tests and for programs that bring their own
 * supervision: a query that takes all memory ends both. The command line starts two processes.
 * Rejects with one sentence that says what stands in the way.
 */
export const startServer = async (options: ServerOptions = {}): Promise<RunningServer> => {
  const ingest = await startIngest(options)
  const front = ingest.engine!
  let engine: Promise<RunningEngine>
  const start = (): Promise<RunningEngine> =>
    startEngine(options, {
      shared: front.store,
      restart() {
        engine = engine.then((running) => running.close()).then(start)
      },
    })
  try {
    await (engine = start())
  } catch (error) {
    await ingest.stop()
    await ingest.close()
    throw error
  }
  await front.link.whenUp(linkWaitMs)
  let closed: Promise<void> | undefined
  const close = async () => {
    await ingest.stop()
    await (await engine).close()
    await ingest.close()
  }
  return { url: ingest.url, postgresPort: ingest.postgresPort, close: () => (closed ??= close()) }
}
