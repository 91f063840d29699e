import { startService } from '../../scripts/startService.mjs'

/**
 * The service as a process that can be stopped and started again on the same port and data, so that the pages
 * really lose it.
 * @param {Parameters<typeof startService>[0]} options
 */
export async function createServiceSwitch(options) {
  /** @type {Awaited<ReturnType<typeof startService>> | undefined} */
  let service
  const start = async (/** @type {number | undefined} */ port) => {
    const started = await startService({ ...options, port })
    service = started
    // One that ends by itself is off, too.
    void started.gone.then(() => service === started && (service = undefined))
    return started.url
  }
  const url = await start(options.port)
  const port = Number(new URL(url).port)
  /** Changes happen one after the other. @type {Promise<unknown>} */
  let last = Promise.resolve()

  const change = async (/** @type {boolean} */ running) => {
    if (running && !service) await start(port)
    if (!running && service) {
      const stopping = service
      service = undefined
      await stopping.stop()
    }
  }

  return {
    url,
    isRunning: () => service !== undefined,
    /** @param {boolean} running */
    set(running) {
      const done = last.then(() => change(running))
      last = done.catch(() => {})
      return done
    },
    close: () => last.then(() => change(false)),
  }
}
