import type { Server } from 'node:net'

// A lock is a socket in the folder on which its owner listens: the system closes it however the process ends. Its file
// stays, and nobody answers there.

/** How a folder is made that is missing: its owner alone looks into it. */
export const ownFolder = { recursive: true, mode: 0o700 }

/** A lock that was not made by then is an ended process's. */
const madeWithinMs = 60_000

/** A socket's address has room for 104 bytes on macOS and 108 on Linux. */
const longestAddress = 100

/** The modules of Node that a disk needs, asked for so that bundlers see none; undefined where there is no disk. */
export const nodeModules = () => {
  const load = globalThis.process?.getBuiltinModule
  return load && { fs: load('node:fs'), net: load('node:net'), path: load('node:path') }
}

export type Modules = NonNullable<ReturnType<typeof nodeModules>>

export const openLocks = ({ fs, net, path }: Modules, folder: string) => {
  const { promises } = fs
  const isWindows = process.platform === 'win32'
  let folderFd: number | undefined
  let server: Server | undefined
  let held = ''

  const addressOf = (name: string) => {
    const address = path.join(folder, name)
    if (isWindows) return `\\\\.\\pipe\\waymark-${name}`
    if (Buffer.byteLength(address) <= longestAddress || process.platform !== 'linux') return address
    // The folder by a short name. It stays open: the address is used as long as the process runs.
    return `/proc/self/fd/${(folderFd ??= fs.openSync(folder, 'r'))}/${name}`
  }

  return {
    /** Takes the lock of that name, in a folder that is made when it is missing. */
    async take(owner: string) {
      if (server) return
      await promises.mkdir(folder, ownFolder)
      const own = net.createServer((socket) => socket.on('error', () => {}).destroy())
      const name = `${owner}.${isWindows ? 'lock' : 'new'}`
      await new Promise<void>((resolve, reject) => {
        own.on('error', reject)
        // A worker of a cluster listens by itself, or the lock would last as long as the first process.
        own.listen({ path: addressOf(name), exclusive: true }, resolve)
      })
      own.unref()
      // It has its name once it is heard: nobody may find it silent.
      held = `${owner}.lock`
      if (!isWindows) await promises.rename(path.join(folder, name), path.join(folder, held))
      server = own
    },

    isHeld: (owner: string) =>
      new Promise<boolean>((resolve) => {
        const socket = net.connect(addressOf(`${owner}.lock`), () => resolve(true))
        socket.on('error', ({ code }: NodeJS.ErrnoException) =>
          resolve(code !== 'ENOENT' && code !== 'ECONNREFUSED'),
        )
        socket.on('connect', () => socket.destroy())
      }),

    async isBeingMade(name: string) {
      if (!name.endsWith('.new')) return false
      const found = await promises.stat(path.join(folder, name)).catch(() => {})
      return !!found && Date.now() - found.mtimeMs < madeWithinMs
    },

    async free() {
      if (server) await promises.rm(path.join(folder, held), { force: true })
      await new Promise<unknown>((resolve) => (server ? server.close(resolve) : resolve(0)))
      if (folderFd !== undefined) fs.closeSync(folderFd)
    },
  }
}
