import { unlinkSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { DataFolder } from './DataFolder.js'
import { OperatorError } from '../OperatorError.js'

/** A process that was just killed keeps its lock for a moment. */
const waitMs = 1500

export type Unlock = () => Promise<void>

const listen = (server: Server, path: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(path, () => resolve(true))
  })

/** Whether a process listens there. */
export const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/**
 * Makes sure that one process at a time takes requests into a folder. The lock is a socket that
 * nobody speaks to: the system gives its name to one process, and takes it back however that ends.
 */
export const lockFolder = async (folder: DataFolder): Promise<Unlock> => {
  const name = folder.lockName
  const isFile = !name.startsWith('\0') && process.platform !== 'win32'
  const deadline = Date.now() + waitMs
  for (;;) {
    const server = createServer((socket) => socket.destroy())
    let isMine: boolean
    try {
      isMine = await listen(server, name)
    } catch (error) {
      // Where no file can be made no service can run either.
      if ((error as NodeJS.ErrnoException).code === 'EROFS') return () => Promise.resolve()
      throw error
    }
    if (isMine) {
      server.unref()
      return () => new Promise((resolve) => server.close(() => resolve()))
    }
    // Where the name is a file it outlives a killed process.
    if (isFile && !(await isAnswered(name))) {
      unlinkSync(name)
      continue
    }
    if (Date.now() > deadline) {
      throw new OperatorError(
        `The data folder ${folder.path} is in use by another waymark-server; stop it, or choose another folder by --data.`,
      )
    }
    await delay(100)
  }
}
