import { unlinkSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { DataFolder } from './DataFolder.js'
import { OperatorError } from '../OperatorError.js'

/** The lock of a killed process stays for a moment. */
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
 * Makes sure that only one process at a time takes requests for a folder. The lock is a socket that no
 * client uses: the system gives its name to one process, and frees it however that process ends.
 */
export const lockFolder = async (folder: DataFolder): Promise<Unlock> => {
  const name = folder.lockName
  const isFile = !name.startsWith('\0') && process.platform !== 'win32'
  const deadline = performance.now() + waitMs
  for (;;) {
    const server = createServer((socket) => socket.destroy())
    let isMine: boolean
    try {
      isMine = await listen(server, name)
    } catch (error) {
      // On a file system that is mounted for reading no service can run, so no lock is needed.
      if ((error as NodeJS.ErrnoException).code === 'EROFS') return () => Promise.resolve()
      throw error
    }
    if (isMine) {
      server.unref()
      return () => new Promise((resolve) => server.close(() => resolve()))
    }
    // A name that is a file is left behind by a killed process.
    if (isFile && !(await isAnswered(name))) {
      unlinkSync(name)
      continue
    }
    if (performance.now() > deadline) {
      throw new OperatorError(
        `The data folder ${folder.path} is in use by another waymark-server; stop it, or choose another folder by --data.`,
      )
    }
    await delay(100)
  }
}
