import { existsSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { refuse } from '../http/HttpError.js'
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

/** Makes the HttpError for a disk that fails. */
export const diskFailing = () =>
  refuse(503, 'disk-failing', 'The disk of the service fails. Tell whoever runs it, and send again later.', {
    'retry-after': '60',
  })

/** By default 1 GiB must stay free, as much as a full backlog takes; on a small disk it is a tenth. */
const usualReserve = ({ total }: Disk) => Math.min(2 ** 30, total / 10)

/** How much statements may write to a disk of which `reserveBytes` must stay free. */
export const roomOf = (disk: Disk, reserveBytes = usualReserve(disk)): number =>
  Math.max(0, disk.free - reserveBytes)

/**
 * The ballast is a file that is deleted when the disk is full at a start: without any free room DuckDB cannot
 * open a store, and then nobody could delete anything from it.
 */
const ballastBytes = 8 * 2 ** 20
/** With less free than this the disk counts as full at a start. */
const fullBytes = ballastBytes

/** Whether a file holds rows that did not fit into DuckDB's memory. */
const isSpilled = (name: string) => name.startsWith('duckdb_temp')

/** A statement writes some megabytes in this time. */
const checkEveryMs = 50

/** How often a full disk is asked whether it has room again. */
const freeAgainMs = 1000

/** Work under way that may fill the disk. */
interface Watched {
  /** Whether it writes by itself; other work counts only while DuckDB has put rows aside on the disk. */
  fills: boolean
  /** Ends it, because it has used up most of the room that is missing. */
  end(): void
}

/** Who has used up at least so much of the share of the one with most may be the one that did it all. */
const alike = 0.75

/**
 * Checks the free room while statements run. When less than the reserve is left, it ends the one that has used up most,
 * and the next one only when that has gone and it was not enough. DuckDB does not say what each has put aside, so what is
 * gone from one check to the next counts for all that run, in equal parts. Of several with hardly less than the most the
 * newest is ended: another one has been there without harm before.
 */
export class DiskRoom {
  readonly #path: string
  readonly #tempFolder: string
  /** How much must stay free for events that are accepted and stored. */
  readonly reserveBytes: number
  readonly #look: (path: string) => Promise<Disk>
  /** What runs, in the order in which it began, with the bytes that count for it. */
  readonly #watched = new Map<Watched, { used: number }>()
  /** What was ended and is still there. */
  readonly #ended = new Set<Watched>()
  #free = 0
  #timer: NodeJS.Timeout | undefined

  /** `folder` is on the disk, and the folder `temp` is where DuckDB puts rows aside. */
  constructor(folder: { path: string; temp: string }, reserveBytes: number, look = lookAtDisk) {
    this.#path = folder.path
    this.#tempFolder = folder.temp
    this.reserveBytes = reserveBytes
    this.#look = look
  }

  /** `reserveBytes` is undefined when no option says how much must stay free. */
  static async open(
    folder: { path: string; temp: string },
    reserveBytes: number | undefined,
  ): Promise<DiskRoom> {
    return new DiskRoom(folder, reserveBytes ?? usualReserve(await lookAtDisk(folder.path)))
  }

  async isShort(): Promise<boolean> {
    return (await this.#look(this.#path)).free < this.reserveBytes
  }

  /** Whether hardly anything is free, or half the reserve is used up. */
  async isFull(): Promise<boolean> {
    return (await this.#look(this.#path)).free < Math.max(2 * ballastBytes, this.reserveBytes / 2)
  }

  /** Calls once, as soon as so much is free. The returned function ends that. */
  onceFree(bytes: number, call: () => void): () => void {
    const timer = setInterval(() => {
      void this.#look(this.#path)
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

  /** Watches work until the returned function is called. */
  watch(given: Watched): () => void {
    // A key of its own for each call, because two statements may pass the same one.
    const watched = { ...given }
    if (this.#watched.size === 0) this.#free = 0
    this.#watched.set(watched, { used: 0 })
    this.#timer ??= setInterval(() => void this.#check(), checkEveryMs).unref()
    return () => {
      this.#watched.delete(watched)
      this.#ended.delete(watched)
      if (this.#watched.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #check(): Promise<void> {
    // A check that fails is followed by the next one.
    const disk = await this.#look(this.#path).catch(() => undefined)
    if (disk === undefined) return
    const gone = Math.max(0, this.#free - disk.free)
    this.#free = disk.free
    for (const each of this.#watched.values()) each.used += gone / this.#watched.size
    if (disk.free >= this.reserveBytes) return
    const isSpilling = this.#isSpilling()
    const running = [...this.#watched.keys()].filter(
      (each) => (each.fills || isSpilling) && !this.#ended.has(each),
    )
    const isUrgent = disk.free < Math.max(2 * ballastBytes, this.reserveBytes / 2)
    if (this.#ended.size > 0 && !isUrgent) return
    const usedBy = (each: Watched) => this.#watched.get(each)!.used
    const most = Math.max(...running.map(usedBy))
    const guilty = running.findLast((each) => usedBy(each) >= alike * most)
    if (guilty === undefined) return
    this.#ended.add(guilty)
    guilty.end()
  }

  #isSpilling(): boolean {
    try {
      return readdirSync(this.#tempFolder).some(
        (name) => isSpilled(name) && statSync(join(this.#tempFolder, name)).size > 0,
      )
    } catch {
      // A file was deleted meanwhile, and its rows with it.
      return false
    }
  }
}

const ballastOf = ({ path }: { path: string }) => join(path, 'ballast')

/** Deletes the ballast when the disk is full. */
export const giveBallast = (folder: { path: string }): void => {
  const { bavail, bsize } = statfsSync(folder.path)
  if (bavail * bsize < fullBytes) rmSync(ballastOf(folder), { force: true })
}

/** Makes the ballast when there is none and the disk has room for it. */
export const takeBallast = async (folder: { path: string }, room: DiskRoom): Promise<void> => {
  const file = ballastOf(folder)
  const { free } = await lookAtDisk(folder.path)
  if (existsSync(file) || free < room.reserveBytes + ballastBytes) return
  try {
    // Zeros take no room in a file system that compresses.
    writeWhole(file, randomBytes(ballastBytes))
  } catch {
    // Another program has filled the disk meanwhile, or a quota is used up.
  }
}
