import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { HttpError, refuse, lakehouseError } from '../http/HttpError.js'
import type { Reply, Route } from '../http/Route.js'
import { clientPatienceMs } from '../http/readBody.js'
import { ConcurrencyLimit } from '../store/ConcurrencyLimit.js'
import { isFatal } from '../store/transactions.js'
import type { Database } from '../store/Database.js'
import type { DiskRoom } from '../store/DiskRoom.js'
import type { GivingBack } from '../store/givingBack.js'
import { stageFile } from './openFile.js'
import { quotedCopy } from './quoteFractions.js'
import { diskFull, spoolBody } from './spoolBody.js'
import { readUpload, type Upload } from './readUpload.js'
import { readKnownColumns, storeStaged } from './storeStaged.js'
import { reasonOf } from '../reasonOf.js'

export interface UploadRoutesOptions {
  database: Database
  catalogs: readonly string[]
  /** DuckDB's temporary folder, the only one that the locked engine can read. */
  tempFolder: string
  room: DiskRoom
  givingBack: GivingBack
}

const maxBytes = 100 * 1_000_000_000
/** Reading a file needs much of the engine's memory, so one is read at a time. */
const maxUploads = 1
const maxWaitingUploads = 20

/** Says what is wrong with a row of a csv file. DuckDB's number is one of rows: a text in quotes may have several lines. */
const rowProblem = (message: string): string | undefined => {
  const row = /CSV Error on Line: (\d+)/.exec(message)?.[1]
  if (row === undefined) return undefined
  const [, wanted, found] = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message) ?? []
  if (wanted !== undefined)
    return `Row ${row} has ${found} fields where the header, which is row 1, has ${wanted}.`
  if (message.includes('not utf-8')) return `Row ${row} holds bytes that are not UTF-8.`
  if (message.includes('unterminated quote')) return `Row ${row} has text behind the quotes of a field.`
  return undefined
}

const failed = (error: unknown, file: string): Error => {
  if (error instanceof HttpError || isFatal(error)) return error
  const reason = reasonOf(error)
  // The client must not learn the path of the file, and DuckDB's advice is about the service's own SQL.
  const message =
    rowProblem(reason) ??
    reason
      .replaceAll(file, 'the file')
      .split(/\n\s*(?:LINE \d+:|Possible (?:fixes|solutions?):|Try setting)/i, 1)[0]!
  if (/no space|ENOSPC|could not write|Out of Memory/i.test(message)) {
    return refuse(503, 'overloaded', message, { 'retry-after': '60' })
  }
  return refuse(400, 'invalid-upload', message)
}

/** `POST /upload` and `POST /upsert` store the rows of a file in a table. */
export const uploadRoutes = (options: UploadRoutesOptions): Route[] => {
  const { database, catalogs, tempFolder, room, givingBack } = options
  const limit = new ConcurrencyLimit({ permits: maxUploads, maxWaiting: maxWaitingUploads })
  // User SQL must not read these files. Their names have no ending, so DuckDB does not take a name in SQL for one of
  // them, and the guard refuses functions that read files.
  const spoolFolder = join(tempFolder, 'spool')
  rmSync(spoolFolder, { recursive: true, force: true })

  const store = async (request: IncomingMessage, upload: Upload): Promise<Reply> => {
    const { mode } = upload
    const name = randomUUID().replaceAll('-', '')
    const file = join(spoolFolder, name)
    await mkdir(spoolFolder, { recursive: true, mode: 0o700 })
    const connection = await database.connect()
    let isFull = false
    let endWatch: (() => void) | undefined
    try {
      const limits = { maxBytes, reserveBytes: room.reserveBytes, idleMs: clientPatienceMs }
      const {
        format,
        names,
        rows: expected,
      } = await spoolBody(request, file, { ...limits, format: upload.format })
      const permit = await limit.acquire()
      endWatch = room.watch(() => {
        isFull = true
        connection.interrupt()
      })
      try {
        const stage = `stage_${name}`
        const known = await readKnownColumns(connection, upload)
        const found = { file, format, names, known, rows: expected }
        const { columns, rows } = await stageFile(connection, stage, found)
        await givingBack(() => storeStaged(connection, { ...upload, stage, columns }))
        return {
          status: 200,
          body: { ok: true, mode, format, rows },
          headers: { 'x-waymark-format': format },
        }
      } finally {
        permit.release()
      }
    } catch (error) {
      throw isFull ? diskFull() : failed(error, file)
    } finally {
      endWatch?.()
      connection.closeSync()
      await rm(file, { force: true })
      await rm(quotedCopy(file), { force: true })
    }
  }

  const route = (path: '/upload' | '/upsert'): Route => ({
    method: 'POST',
    path,
    writeError: lakehouseError,
    handle({ request, search }) {
      return store(request, readUpload(new URLSearchParams(search), catalogs, path))
    },
  })
  return [route('/upload'), route('/upsert')]
}
