import { createServer } from 'node:net'

/**
 * A port for a program that cannot choose one itself.
 * @returns {Promise<number>}
 */
export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      server.close(() => resolve(port))
    })
  })
