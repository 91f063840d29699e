import { once } from 'node:events'
import type { Socket } from 'node:net'

/** So many bytes, and what comes behind them stays where it is; undefined when the client goes before. */
export const readExactly = async (socket: Socket, bytes: number): Promise<Buffer | undefined> => {
  const gone = new AbortController()
  const leave = () => gone.abort()
  socket.once('close', leave).once('end', leave)
  try {
    for (;;) {
      const chunk = socket.read(bytes) as Buffer | null
      if (chunk !== null) return chunk.length === bytes ? chunk : undefined
      if (socket.destroyed || socket.readableEnded) return undefined
      await once(socket, 'readable', { signal: gone.signal })
    }
  } catch {
    return undefined
  } finally {
    socket.off('close', leave).off('end', leave)
  }
}
