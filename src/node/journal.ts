import type { FileHandle } from 'node:fs/promises'
import type { Database } from '../core/database'
import type { RecordKey } from '../core/records'
import { newId } from '../core/ids'
import { maybe } from '../core/maybe'
import { openLocks, ownFolder, type Modules } from './locks'

// A folder has, for each process that uses it, a file and a lock:
//
//   <owner>.log         what waits, a line for each change: `[key,text]` puts a row, `[key]` takes it away
//   <owner>.<id>.log    the file of a process that has ended, which the owner takes over
//   <owner>.lock        a socket on which the owner listens: the system closes it however the process ends
//   <owner>.new, .part  a lock, and a file, that are being made
//
// An owner's name is drawn anew by each process, so nobody is taken for another. A line that a crash has cut short is not
// JSON and counts for nothing: what is in it was not acknowledged. Renaming a file decides between two that take it over.

/** A file of this size is written anew, without the rows that were taken away. */
const rewriteAt = 4 * 1024 * 1024

/** The mode of a file of events, which name people: its owner alone reads it. */
const ownerOnly = 0o600

type Row = [key: RecordKey, text: string]

/** A row by what never changes of its key: the place in its first queue. */
const nameOf = ([, sequence, , origin]: RecordKey) => `${sequence} ${origin}`

const put = (...row: Row) => `${JSON.stringify(row)}\n`

export interface Journal extends Pick<Database, 'transact' | 'close'> {
  /** What became of all that was written so far: rejects when the disk has refused some of it. */
  saved(): Promise<void>
  /** Takes over what ended processes have left, under keys of the owner. */
  takeOver(): Promise<Row[]>
  /** Writes all that is not written yet, for a process that ends now. */
  saveNow(): void
  /** Settles when the file is closed. */
  closed: Promise<void>
}

/** Reads the rows of a file. */
const readRows = (text: string): Row[] => {
  const rows = new Map<string, Row>()
  for (const line of text.split('\n')) {
    const row = maybe(() => JSON.parse(line) as Row)
    if (!Array.isArray(row?.[0])) continue
    const name = nameOf(row[0])
    if (row[1] === undefined) rows.delete(name)
    else rows.set(name, row)
  }
  return [...rows.values()]
}

export const openJournal = (modules: Modules, folder: string, owner: string): Journal => {
  const { fs, path } = modules
  const locks = openLocks(modules, folder)
  const { promises } = fs
  const fileOf = (name: string) => path.join(folder, `${name}.log`)
  /** The lines of all rows, by their keys. */
  const rows = new Map<string, string>()
  let file: FileHandle | undefined
  let opening: Promise<FileHandle> | undefined
  let size = 0
  let limit = rewriteAt
  /** The lines that are being written, and those of the next group. */
  let writing = ''
  let waiting = ''
  let group: Promise<void> | undefined
  let newest = Promise.resolve()
  let last = newest
  let onClosed = () => {}
  const closed = new Promise<void>((resolve) => (onClosed = resolve))

  /** Makes a new name in the folder last. Windows cannot, and does so itself. */
  const syncFolder = async () => {
    if (process.platform === 'win32') return
    const handle = await promises.open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  }

  /** The lock comes first: a file without one is an ended process's. */
  const openFile = async () => {
    await locks.take(owner)
    file = await promises.open(fileOf(owner), 'a', ownerOnly)
    size = (await file.stat()).size
    // A failed write may have left half a line, which would spoil the next one.
    if (size) await file.appendFile('\n')
    await syncFolder()
    return file
  }
  const open = () =>
    (opening ??= openFile().catch(async (error) => {
      await reopenLater()
      throw error
    }))
  const reopenLater = async () => {
    opening = undefined
    await file?.close().catch(() => {})
    file = undefined
  }

  const rewrite = async () => {
    const text = [...rows.values()].join('')
    const fresh = await promises.open(path.join(folder, `${owner}.part`), 'w', ownerOnly)
    try {
      await fresh.appendFile(text)
      await fresh.datasync()
      await promises.rename(path.join(folder, `${owner}.part`), fileOf(owner))
      await syncFolder()
    } catch (error) {
      await fresh.close()
      throw error
    }
    await file?.close()
    file = fresh
    opening = Promise.resolve(fresh)
    size = Buffer.byteLength(text)
    limit = Math.max(rewriteAt, 2 * size)
  }

  const writeGroup = async () => {
    group = undefined
    writing = waiting
    waiting = ''
    try {
      const target = await open()
      await target.appendFile(writing)
      await target.datasync()
      size += Buffer.byteLength(writing)
      writing = ''
      if (size > limit) await rewrite()
    } catch (error) {
      writing = ''
      await reopenLater()
      throw error
    }
  }

  /** All that comes while one group is written is the next: one sync for many calls. */
  const commit = (lines: string) => {
    waiting += lines
    if (!group) {
      group = last.then(writeGroup)
      newest = group
      last = group.catch(() => {})
    }
    return group
  }

  /** Resolves to the rows of one file, under keys of the owner; undefined when another process was faster. */
  const take = async (name: string) => {
    const mine = fileOf(`${owner}.${newId(10)}`)
    try {
      await promises.rename(path.join(folder, name), mine)
    } catch {
      return
    }
    const taken = readRows(await promises.readFile(mine, 'utf8')).map(([[, ...key], text]): Row => [
      [owner, ...key],
      text,
    ])
    for (const row of taken) rows.set(nameOf(row[0]), put(...row))
    try {
      if (taken[0]) await commit(taken.map((row) => put(...row)).join(''))
    } catch (error) {
      for (const [key] of taken) rows.delete(nameOf(key))
      throw error
    }
    await promises.unlink(mine)
    return taken
  }

  return {
    closed,
    saved: () => newest,

    async transact(mode, work) {
      if (mode !== 'put') throw new Error('A journal is read by takeOver alone.')
      let lines = ''
      const store = {
        put(text: string, key: RecordKey) {
          lines += put(key, text)
          rows.set(nameOf(key), put(key, text))
        },
        delete(key: RecordKey) {
          lines += `${JSON.stringify([key])}\n`
          rows.delete(nameOf(key))
        },
      }
      const result = work(store as unknown as IDBObjectStore, () => {})
      await commit(lines)
      return result
    },

    async takeOver() {
      await open()
      const found: Row[] = []
      for (const entry of await promises.readdir(folder, { withFileTypes: true })) {
        const { name } = entry
        const other = name.split('.')[0]!
        if (entry.isDirectory() || !/\.(log|lock|new|part)$/.test(name)) continue
        if (other === owner || (await locks.isHeld(other))) continue
        if (name.endsWith('.log')) found.push(...((await take(name)) ?? []))
        else if (!(await locks.isBeingMade(name))) await promises.rm(path.join(folder, name), { force: true })
      }
      return found
    },

    saveNow() {
      if (!writing && !waiting) return
      // A group that is being written may not get to its end: its lines come once more, which changes nothing.
      fs.mkdirSync(folder, ownFolder)
      const target = fs.openSync(fileOf(owner), 'a', ownerOnly)
      fs.writeSync(target, `\n${writing}${waiting}`)
      fs.fsyncSync(target)
      fs.closeSync(target)
    },

    close() {
      const end = async () => {
        await last
        await file?.close()
        if (!rows.size) await promises.rm(fileOf(owner), { force: true })
        await locks.free()
      }
      void end().then(onClosed, onClosed)
    },
  }
}
