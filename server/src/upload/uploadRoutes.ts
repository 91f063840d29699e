import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { HttpError, refuse, lakehouseError } from '../http/HttpError.js'
import { readTarget } from '../append/Target.js'
import type { Authorize, Reply, Route } from '../http/Route.js'
import { clientPatienceMs } from '../http/readBody.js'
import { ConcurrencyLimit } from '../store/ConcurrencyLimit.js'
import type { Database } from '../store/Database.js'
import { detectFormat, type FileFormat } from './detectFormat.js'
import { stageFile } from './openFile.js'
import { quotedCopy } from './quoteFractions.js'
import { spoolBody } from './spoolBody.js'
import { readKnownColumns, storeStaged, type UploadMode } from './storeStaged.js'

export interface UploadRoutesOptions {
  authorize: Authorize
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
const modes: readonly UploadMode[] = ['create', 'append', 'upsert', 'overwrite']
const formats: readonly FileFormat[] = ['csv', 'json', 'parquet']

const oneOf = <T extends string>(
  search: URLSearchParams,
  name: string,
  values: readonly T[],
): T | undefined => {
  const value = search.get(name)
  if (value === null || value === '') return undefined
  const found = values.find((each) => each === value)
  if (found === undefined)
    throw refuse(400, 'invalid-parameter', `${name} must be one of ${values.join(', ')}.`)
  return found
}

const failed = (error: unknown, file: string): Error => {
  if (error instanceof HttpError) return error
  const told = error instanceof Error ? error.message : String(error)
  // Where the file lies is nobody's business, and DuckDB's advice is about statements of ours.
  const message = told
    .replaceAll(file, 'the file')
    .split(/\n\s*(?:LINE \d+:|Possible (?:fixes|solutions):|Try setting)/, 1)[0]!
  if (/no space|ENOSPC|could not write|Out of Memory/i.test(message)) {
    return refuse(503, 'overloaded', message, { 'retry-after': '60' })
  }
  return refuse(400, 'invalid-upload', message)
}

/** `POST /upload` and `POST /upsert`: a file becomes rows of a table. */
export const uploadRoutes = (options: UploadRoutesOptions): Route[] => {
  const { authorize, database, catalogs, tempFolder } = options
  const limit = new ConcurrencyLimit(maxUploads, maxWaitingUploads)
  // Without an ending in its name no file in it is a table to SQL, and functions that read files are refused.
  const spoolFolder = join(tempFolder, 'spool')
  rmSync(spoolFolder, { recursive: true, force: true })

  const store = async (
    request: IncomingMessage,
    search: URLSearchParams,
    mode: UploadMode,
  ): Promise<Reply> => {
    const target = readTarget(search, catalogs)
    const primaryKey = search.get('primary_key') ?? undefined
    if (mode === 'upsert' && !primaryKey) throw refuse(400, 'invalid-parameter', 'primary_key is missing.')
    const asked = oneOf(search, 'format', formats)

    const name = randomUUID().replaceAll('-', '')
    const file = join(spoolFolder, name)
    await mkdir(spoolFolder, { recursive: true, mode: 0o700 })
    const connection = await database.connect()
    try {
      const spooled = await spoolBody(request, file, { maxBytes, reserveBytes, idleMs: clientPatienceMs })
      if (spooled.bytes === 0) throw refuse(400, 'invalid-parameter', 'The file is empty.')
      const format = asked ?? detectFormat(request.headers['content-type'], spooled.start)
      if (format === 'json' && !spooled.jsonIsClosed)
        throw refuse(400, 'invalid-parameter', 'The JSON is not complete: a bracket or text is open.')
      const permit = await limit.acquire()
      try {
        const stage = `stage_${name}`
        const known = await readKnownColumns(connection, target, mode)
        const { columns, rows } = await stageFile(connection, stage, { file, format, known })
        await storeStaged(connection, { stage, target, mode, primaryKey, columns })
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

  return [
    {
      method: 'POST',
      path: '/upload',
      writeError: lakehouseError,
      handle({ request, search }) {
        authorize(request)
        const parameters = new URLSearchParams(search)
        const mode = oneOf(parameters, 'mode', modes)
        if (mode === undefined)
          throw refuse(400, 'invalid-parameter', `mode is missing: one of ${modes.join(', ')}.`)
        return store(request, parameters, mode)
      },
    },
    {
      method: 'POST',
      path: '/upsert',
      writeError: lakehouseError,
      handle({ request, search }) {
        authorize(request)
        return store(request, new URLSearchParams(search), 'upsert')
      },
    },
  ]
}
