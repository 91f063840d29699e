import { createServer } from 'node:net'

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/** Test files that run at the same time have ranges of ports of their own, and no port is given twice. */
const given = new Set<number>()
const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % 16

/**
 * A port that is free, and below those that the system gives to outgoing connections: while a server is
 * down no client may get its port, or, asking for it again and again, be connected to itself.
 */
export const findPort = async (): Promise<number> => {
  for (;;) {
    const port = 20_000 + 16 * Math.floor(Math.random() * 750) + worker
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}
