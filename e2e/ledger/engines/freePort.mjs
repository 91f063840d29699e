import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what a kernel gives away by itself, to outgoing connections too: Linux begins at 32768, others at 49152. */
const [first, last] = [20_000, 32_000]

/**
 * A port for who cannot take port 0: a program that must be told one, or a server that will listen there again. Nobody
 * gets it by chance while nobody listens.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = first + Math.floor(Math.random() * (last - first))
    const server = createServer()
    const isFree = await once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
