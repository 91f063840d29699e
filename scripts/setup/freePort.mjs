import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what a kernel gives away by itself, to outgoing connections too: Linux begins at 32768, others at 49152. */
const [first, last] = [20_000, 32_000]

/**
 * A port for who cannot take port 0: a program that must be told one, or a server that will listen there again. Nobody
 * gets it by chance while nobody listens.
 * @param {string} [host] an address of this machine
 * @returns {Promise<number>}
 */
export async function freePort(host = '127.0.0.1') {
  for (;;) {
    const port = first + Math.floor(Math.random() * (last - first))
    const server = createServer().listen(port, host)
    try {
      await once(server, 'listening')
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
