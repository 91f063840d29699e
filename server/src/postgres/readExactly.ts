import type { Socket } from 'node:net'

/** So many bytes, and what comes behind them stays where it is; undefined when the client goes before. */
export const readExactly = (socket: Socket, bytes: number): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    // Listened to until the end: a new listener is told of what has come already, so that one for each look would go
    // round and round over a part of a message and let nothing else run.
    const look = () => {
      const chunk = socket.read(bytes) as Buffer | null
      if (chunk !== null) settle(chunk.length === bytes ? chunk : undefined)
      else if (socket.destroyed || socket.readableEnded) settle(undefined)
    }
    const leave = () => settle(undefined)
    const settle = (read: Buffer | undefined) => {
      socket.off('readable', look).off('end', leave).off('close', leave)
      resolve(read)
    }
    socket.on('readable', look).on('end', leave).on('close', leave)
    look()
  })
