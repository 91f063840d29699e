import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { HttpError, refuse, lakehouseError } from '../http/HttpError.js'
import type { Reply, Route } from '../http/Route.js'
import { clientPatienceMs } from '../http/readBody.js'
import { ConcurrencyLimit } from '../store/ConcurrencyLimit.js'
import type { Database } from '../store/Database.js'
import { stageFile } from './openFile.js'
import { quotedCopy } from './quoteFractions.js'
import { spoolBody } from './spoolBody.js'
import { readUpload, type Upload } from './readUpload.js'
import { readKnownColumns, storeStaged } from './storeStaged.js'

export interface UploadRoutesOptions {
  database: Database
  catalogs: readonly string[]
  /** The only folder that the engine can read. */
  tempFolder: string
}

const maxBytes = 100 * 1_000_000_000
const reserveBytes = 256 * 1_048_576
/** Each needs much of the engine's memory, so few files are read at once. */
const maxUploads = 1
const maxWaitingUploads = 20

/** DuckDB counts rows, not lines: a text in quotes may hold line ends. */
const raggedRow = (message: string): string | undefined => {
  const row = /CSV Error on Line: (\d+)/.exec(message)?.[1]
  const [, wanted, found] = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message) ?? []
  if (row === undefined || wanted === undefined) return undefined
  return `Row ${row} has ${found} fields where the header, which is row 1, has ${wanted}.`
}

const failed = (error: unknown, file: string): Error => {
  if (error instanceof HttpError) return error
  const told = error instanceof Error ? error.message : String(error)
  // Where the file lies is nobody's business, and DuckDB's advice is about statements of ours.
  const message =
    raggedRow(told) ??
    told
      .replaceAll(file, 'the file')
      .split(/\n\s*(?:LINE \d+:|Possible (?:fixes|solutions):|Try setting)/, 1)[0]!
  if (/no space|ENOSPC|could not write|Out of Memory/i.test(message)) {
    return refuse(503, 'overloaded', message, { 'retry-after': '60' })
  }
  return refuse(400, 'invalid-upload', message)
}

/** `POST /upload` and `POST /upsert`: a file becomes rows of a table. */
export const uploadRoutes = (options: UploadRoutesOptions): Route[] => {
  const { database, catalogs, tempFolder } = options
  const limit = new ConcurrencyLimit(maxUploads, maxWaitingUploads)
  // Without an ending in its name no file in it is a table to SQL, and functions that read files are refused.
  const spoolFolder = join(tempFolder, 'spool')
  rmSync(spoolFolder, { recursive: true, force: true })

  const store = async (request: IncomingMessage, upload: Upload): Promise<Reply> => {
    const { mode } = upload
    const name = randomUUID().replaceAll('-', '')
    const file = join(spoolFolder, name)
    await mkdir(spoolFolder, { recursive: true, mode: 0o700 })
    const connection = await database.connect()
    try {
      const limits = { maxBytes, reserveBytes, idleMs: clientPatienceMs }
      const { format, names } = await spoolBody(request, file, { ...limits, format: upload.format })
      const permit = await limit.acquire()
      try {
        const stage = `stage_${name}`
        const known = await readKnownColumns(connection, upload)
        const { columns, rows } = await stageFile(connection, stage, { file, format, names, known })
        await storeStaged(connection, { ...upload, stage, columns })
        return {
          status: 200,
          body: { ok: true, mode, format, rows },
          headers: { 'x-waymark-format': format },
        }
      } finally {
        permit.release()
      }
    } catch (error) {
      throw failed(error, file)
    } finally {
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
