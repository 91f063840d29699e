import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { clientPatienceMs } from '../http/clientPatience.js'
import { Refusal } from '../http/Refusal.js'
import type { Reply, Route } from '../http/Route.js'
import { readTarget } from '../lakehouse/readTarget.js'
import type { Admission } from '../query/createAdmission.js'
import type { Database } from '../store/openDatabase.js'
import { detectFormat, type FileFormat } from './detectFormat.js'
import { quotedCopy } from './quoteFractions.js'
import { spoolBody } from './spoolBody.js'
import { stageFile } from './stageFile.js'
import { readKnownColumns, storeStaged, type UploadMode } from './storeStaged.js'

export interface UploadRoutesOptions {
  authorize(request: IncomingMessage): string
  database: Database
  catalogs: readonly string[]
  /** Private, within the only folder that the engine can read, and emptied at every start. */
  spoolFolder: string
  admission: Admission
}

const maxBytes = 100 * 1_000_000_000
const reserveBytes = 256 * 1_048_576
const modes: readonly UploadMode[] = ['create', 'append', 'upsert', 'overwrite']
const formats: readonly FileFormat[] = ['csv', 'json', 'parquet']

const refuse = (message: string) => new Refusal(400, { error: 'invalid-parameter', message })

const oneOf = <T extends string>(
  search: URLSearchParams,
  name: string,
  values: readonly T[],
): T | undefined => {
  const value = search.get(name)
  if (value === null || value === '') return undefined
  const found = values.find((each) => each === value)
  if (found === undefined) throw refuse(`${name} must be one of ${values.join(', ')}.`)
  return found
}

const failed = (error: unknown, file: string): Error => {
  if (error instanceof Refusal) return error
  const told = error instanceof Error ? error.message : String(error)
  // Where the file lies is nobody's business, and DuckDB's advice is about statements of ours.
  const message = told
    .replaceAll(file, 'the file')
    .split(/\n\s*(?:LINE \d+:|Possible (?:fixes|solutions):|Try setting)/, 1)[0]!
  if (/no space|ENOSPC|could not write|Out of Memory/i.test(message)) {
    return new Refusal(503, { error: 'overloaded', message }, { 'retry-after': '60' })
  }
  return new Refusal(400, { error: 'invalid-upload', message })
}

/** `POST /upload` and `POST /upsert`: a file becomes rows of a table. */
export const createUploadRoutes = (options: UploadRoutesOptions): Route[] => {
  const { authorize, database, catalogs, spoolFolder, admission } = options

  const store = async (
    request: IncomingMessage,
    search: URLSearchParams,
    mode: UploadMode,
  ): Promise<Reply> => {
    const target = readTarget(search, catalogs)
    const primaryKey = search.get('primary_key') ?? undefined
    if (mode === 'upsert' && !primaryKey) throw refuse('primary_key is missing.')
    const asked = oneOf(search, 'format', formats)

    const name = randomUUID().replaceAll('-', '')
    const file = join(spoolFolder, name)
    await mkdir(spoolFolder, { recursive: true, mode: 0o700 })
    const connection = await database.connect()
    try {
      const spooled = await spoolBody(request, file, { maxBytes, reserveBytes, idleMs: clientPatienceMs })
      if (spooled.bytes === 0) throw refuse('The file is empty.')
      const format = asked ?? detectFormat(request.headers['content-type'], spooled.start)
      if (format === 'json' && !spooled.jsonIsClosed)
        throw refuse('The JSON is not complete: a bracket or text is open.')
      const ticket = await admission.enter(new AbortController().signal)
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
        ticket.release()
      }
    } catch (error) {
      throw failed(error, file)
    } finally {
      connection.closeSync()
      await rm(file, { force: true })
      await rm(quotedCopy(file), { force: true })
    }
  }

  const describeFailure = (message: string) => ({ error: 'internal', message })
  return [
    {
      method: 'POST',
      path: '/upload',
      describeFailure,
      handle({ request, search }) {
        authorize(request)
        const parameters = new URLSearchParams(search)
        const mode = oneOf(parameters, 'mode', modes)
        if (mode === undefined) throw refuse(`mode is missing: one of ${modes.join(', ')}.`)
        return store(request, parameters, mode)
      },
    },
    {
      method: 'POST',
      path: '/upsert',
      describeFailure,
      handle({ request, search }) {
        authorize(request)
        return store(request, new URLSearchParams(search), 'upsert')
      },
    },
  ]
}
