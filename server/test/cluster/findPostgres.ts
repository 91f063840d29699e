import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian keeps the server's programs out of the path, a folder for each version. */
const debian = '/usr/lib/postgresql'
const needed = ['initdb', 'postgres', 'pg_basebackup']

const missing =
  'PostgreSQL is not here, and this test needs a real one: install Debian’s package postgresql, or run npm test as root (or where sudo asks for no password), which does.'

/** The folder of the server's programs; of several versions the newest. */
export const findPostgres = (): string => {
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const folders = [
    ...versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ]
  const found = folders.find((folder) => needed.every((name) => existsSync(join(folder, name))))
  if (found === undefined) throw new Error(missing)
  return found
}

export interface Owner {
  uid: number
  gid: number
}

const idOf = (flag: string, name: string) =>
  Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))

/** Whom PostgreSQL runs as: it refuses to run as root. Undefined where this process is somebody else. */
export const findOwner = (): Owner | undefined => {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) }
    } catch {
      // There is no such user here.
    }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it as.')
}
