import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { HttpError, lakehouseError } from '../http/HttpError.js'
import type { Reply, Route } from '../http/Route.js'
import { clientPatienceMs } from '../http/readBody.js'
import { widthProblem } from '../append/planAppend.js'
import { tableSql } from '../append/Target.js'
import { reasonOf } from '../OperatorError.js'
import { isFatal } from '../duckdb/transactions.js'
import type { Database } from '../duckdb/Database.js'
import type { DiskRoom } from '../disk/DiskRoom.js'
import type { GivingBack } from '../duckdb/givingBack.js'
import { quoteText } from '../duckdb/quote.js'
import type { TaskIds } from '../wal/TaskIds.js'
import { readIdentity } from '../users/Identity.js'
import { type Importers, explainStoring, type UploadPaths } from './Importers.js'
import { spillFolder, stagedTable } from './stageFile.js'
import { quotedCopy } from './readRecords.js'
import { diskFull, refuseFile, spoolBody, type Spooled } from './spoolBody.js'
import { readUpload, type Upload } from './readUpload.js'
import { readKnownColumns, storeStaged } from './storeStaged.js'

export interface UploadRoutesOptions {
  database: Database
  catalogs: readonly string[]
  folder: { spool: string; temp: string }
  importers: Importers
  room: DiskRoom
  givingBack: GivingBack
  taskIds: TaskIds
  /** How many columns a file may give a table that it makes. */
  maxColumns: number
}

const maxBytes = 100 * 1_000_000_000

/** Where the parts of one upload are: the file as the client sent it, and the file of DuckDB's with its rows. */
interface Place extends UploadPaths {
  /** The catalog that the engine opens the stage as. */
  catalog: string
}

/** Runs work for one table after the other: two files that change the same rows at once would conflict. */
const createTurns = () => {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(table: string, work: () => Promise<T>): Promise<T> => {
    const done = Promise.resolve(last.get(table)).then(work)
    const ended = done.catch(() => undefined)
    last.set(table, ended)
    try {
      return await done
    } finally {
      if (last.get(table) === ended) last.delete(table)
    }
  }
}

/** Opens the stage for the work. No other connection sees it in a list. */
const withStage = async <T>(
  connection: DuckDBConnection,
  { stage, catalog }: Place,
  work: () => Promise<T>,
): Promise<T> => {
  await connection.run(`ATTACH ${quoteText(stage)} AS ${catalog} (READ_ONLY, HIDDEN)`)
  try {
    return await work()
  } finally {
    // A DuckDB that must be started again fails here as well, and then the first error counts.
    await connection.run(`DETACH ${catalog}`).catch(() => undefined)
  }
}

/** `POST /upload` and `POST /upsert` store the rows of a file in a table. */
export const uploadRoutes = (options: UploadRoutesOptions): Route[] => {
  const { database, catalogs, folder, importers, room, givingBack, taskIds, maxColumns } = options
  const inTurn = createTurns()
  rmSync(folder.spool, { recursive: true, force: true })

  /** Reads the spooled file, and stores its rows. */
  const store = async (upload: Upload, spooled: Spooled, place: Place, stopped: AbortSignal) => {
    const connection = await database.connect()
    const interrupt = () => connection.interrupt()
    stopped.addEventListener('abort', interrupt)
    try {
      const known = await readKnownColumns(connection, upload)
      const checkWidth = (columns: number) => {
        const problem = widthProblem(0, known === undefined ? columns : 0, maxColumns)
        if (problem !== undefined) throw refuseFile(problem)
      }
      // The columns of a csv file are known before it is read.
      checkWidth(spooled.names.length)
      const { columns, rows, hasComma } = await importers.read(
        { ...spooled, ...place, known, maxColumns },
        stopped,
      )
      checkWidth(columns.length)
      const given = { ...upload, staged: stagedTable(place.catalog), columns }
      await inTurn(tableSql(upload.target).toLowerCase(), () =>
        withStage(connection, place, () => givingBack(() => storeStaged(connection, given))),
      )
      const { delimiter, header } = spooled.dialect ?? {}
      const written = delimiter && { delimiter, header, decimal: hasComma ? ',' : '.' }
      return { rows, read_as: { ...written, columns } }
    } finally {
      stopped.removeEventListener('abort', interrupt)
      connection.closeSync()
    }
  }

  const take = async (request: IncomingMessage, upload: Upload): Promise<Reply> => {
    const { user } = readIdentity(request)
    const { mode } = upload
    const name = randomUUID().replaceAll('-', '')
    const catalog = `stage_${name}`
    // The names have no ending, so DuckDB does not take a name in SQL for one of them.
    const place = { file: join(folder.spool, name), stage: join(folder.temp, catalog), catalog }
    await mkdir(folder.spool, { recursive: true, mode: 0o700 })
    const full = new AbortController()
    let endWatch: (() => void) | undefined
    try {
      importers.prepare()
      const limits = { maxBytes, reserveBytes: room.reserveBytes, idleMs: clientPatienceMs }
      const { format: asked, dialect } = upload
      const spooled = await spoolBody(request, place.file, { ...limits, format: asked, dialect })
      const permit = await importers.admit(user, spooled.bytes)
      endWatch = room.watch({ fills: true, end: () => full.abort() })
      try {
        const stored = await store(upload, spooled, place, full.signal)
        const { format } = spooled
        return {
          status: 200,
          body: { ok: true, task_id: taskIds.issueDone(), status: 'completed', mode, format, ...stored },
          headers: { 'x-waymark-format': format },
        }
      } finally {
        permit.release()
      }
    } catch (error) {
      if (full.signal.aborted) throw diskFull()
      // An engine whose DuckDB has given up says so in one place for all routes.
      throw error instanceof HttpError || isFatal(error) ? error : explainStoring(reasonOf(error), place)
    } finally {
      endWatch?.()
      const { file, stage } = place
      const left = [file, quotedCopy(file), spillFolder(file), stage, `${stage}.wal`]
      await Promise.all(left.map((each) => rm(each, { recursive: true, force: true })))
    }
  }

  const route = (path: '/upload' | '/upsert'): Route => ({
    method: 'POST',
    path,
    writeError: lakehouseError,
    handle({ request, search }) {
      return take(request, readUpload(new URLSearchParams(search), catalogs, path))
    },
  })
  return [route('/upload'), route('/upsert')]
}
