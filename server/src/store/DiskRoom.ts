import { existsSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { writeWhole } from './writeWhole.js'

/** A disk as it is at one moment, in bytes. */
export interface Disk {
  total: number
  free: number
}

export const lookAtDisk = async (path: string): Promise<Disk> => {
  const { blocks, bavail, bsize } = await statfs(path)
  return { total: blocks * bsize, free: bavail * bsize }
}

/** What must stay free where nobody says so: a full backlog's 1 GiB, and of a small disk a tenth. */
const usualReserve = ({ total }: Disk) => Math.min(2 ** 30, total / 10)

/** What statements may fill of a disk on which so much must stay free. */
export const roomOf = (disk: Disk, reserveBytes = usualReserve(disk)): number =>
  Math.max(0, disk.free - reserveBytes)

/**
 * Some room that is given away when the disk is full at a start: without any DuckDB cannot open a store, and
 * nobody could delete anything from it.
 */
const ballastBytes = 8 * 2 ** 20
/** With less than this a start is one on a full disk. */
const fullBytes = ballastBytes

/** Where DuckDB puts aside what does not fit into memory. */
const isSpilled = (name: string) => name.startsWith('duckdb_temp')

/** A statement fills some megabytes in that time. */
const lookMs = 50

/** How often a full disk is asked whether it has room again. */
const freeAgainMs = 1000

/** Called at every look that finds too little room; `isSpilling` when DuckDB has put rows aside. */
export type OnShort = (isSpilling: boolean) => void

export interface DiskRoomOptions {
  /** On the disk that is looked at. */
  path: string
  tempFolder: string
  /** What must stay free for what is accepted and stored. */
  reserveBytes: number
  look?: (path: string) => Promise<Disk>
}

/** Looks at the free disk while statements run, and says so to each of them when it is less than the reserve. */
export class DiskRoom {
  readonly #options: Required<DiskRoomOptions>
  readonly #watchers = new Set<OnShort>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: DiskRoomOptions) {
    this.#options = { look: lookAtDisk, ...options }
  }

  /** `reserveBytes` is undefined where nobody has said how much must stay free. */
  static async open(
    folder: { path: string; temp: string },
    reserveBytes: number | undefined,
  ): Promise<DiskRoom> {
    const { path, temp } = folder
    reserveBytes ??= usualReserve(await lookAtDisk(path))
    return new DiskRoom({ path, tempFolder: temp, reserveBytes })
  }

  get reserveBytes(): number {
    return this.#options.reserveBytes
  }

  async isShort(): Promise<boolean> {
    const { look, path, reserveBytes } = this.#options
    return (await look(path)).free < reserveBytes
  }

  /** Whether hardly anything is free, or the reserve itself is half used up. */
  async isFull(): Promise<boolean> {
    const { look, path, reserveBytes } = this.#options
    return (await look(path)).free < Math.max(2 * ballastBytes, reserveBytes / 2)
  }

  /** Calls once, as soon as so much is free. The result ends it. */
  onceFree(bytes: number, call: () => void): () => void {
    const { look, path } = this.#options
    const timer = setInterval(() => {
      void look(path)
        .then(({ free }) => {
          if (free < bytes || isEnded) return
          end()
          call()
        })
        .catch(() => undefined)
    }, freeAgainMs).unref()
    let isEnded = false
    const end = () => {
      isEnded = true
      clearInterval(timer)
    }
    return end
  }

  /** The result ends it. */
  watch(onShort: OnShort): () => void {
    // Two statements may hand in one function.
    const watcher: OnShort = (isSpilling) => onShort(isSpilling)
    this.#watchers.add(watcher)
    this.#timer ??= setInterval(() => void this.#look(), lookMs).unref()
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #look(): Promise<void> {
    // A look that fails is followed by another one.
    if (!(await this.isShort().catch(() => false))) return
    const isSpilling = this.#isSpilling()
    for (const watcher of this.#watchers) watcher(isSpilling)
  }

  #isSpilling(): boolean {
    const { tempFolder } = this.#options
    try {
      return readdirSync(tempFolder).some(
        (name) => isSpilled(name) && statSync(join(tempFolder, name)).size > 0,
      )
    } catch {
      // A file has gone meanwhile, and its rows with it.
      return false
    }
  }
}

const ballastOf = ({ path }: { path: string }) => join(path, 'ballast')

/** Gives the ballast away where the disk is full. */
export const giveBallast = (folder: { path: string }): void => {
  const { bavail, bsize } = statfsSync(folder.path)
  if (bavail * bsize < fullBytes) rmSync(ballastOf(folder), { force: true })
}

/** Makes the ballast where there is none and the disk has room for it. */
export const takeBallast = async (folder: { path: string }, room: DiskRoom): Promise<void> => {
  const file = ballastOf(folder)
  const { free } = await lookAtDisk(folder.path)
  if (existsSync(file) || free < room.reserveBytes + ballastBytes) return
  try {
    // Zeros take no room in a file system that compresses.
    writeWhole(file, randomBytes(ballastBytes))
  } catch {
    // Another program has taken the room meanwhile, or a quota ends here.
  }
}
