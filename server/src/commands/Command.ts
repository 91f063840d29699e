import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ClientRequest, createServer, type IncomingMessage, request as ask } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { text } from 'node:stream/consumers'
import { DataFolder, isAnswered, lockFolder } from '../disk/DataFolder.js'
import { damaged, OperatorError } from '../OperatorError.js'
import { careRoutes } from '../care/careRoutes.js'
import { Cleanups } from '../Cleanups.js'
import { Listener } from '../http/Listener.js'
import { Logger } from '../Logger.js'
import { makeWay, quoteIdentifier, quoteText } from '../duckdb/quote.js'
import { findCutOff } from '../duckdb/WalMark.js'

/** A command of `waymark-server` that works on a data folder without serving it. */
export interface Command {
  name: string
  help: string
  /** Gives the exit code: 0 when all is well. An error is printed as one sentence, with exit code 1. */
  run(given: Given): Promise<number>
}

export interface Given {
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  /** Writes a line for whoever started the command. */
  print(line: string): void
}

/** Says in one sentence what is wrong with the command line. */
export class WrongUsage extends Error {}

type Flags = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>

interface Words<T extends Flags> {
  values: { [name in keyof T]?: (T[name]['type'] extends 'boolean' ? boolean : string) | undefined }
  /** The words that are neither flags nor values of flags. */
  others: string[]
}

/** Reads flags and other words; `names` says how many other words there must be, and what each means. */
export const readWords = <T extends Flags>(
  argv: readonly string[],
  options: T,
  names: readonly string[] = [],
): Words<T> => {
  const { values, positionals: others } = parse(argv, options)
  if (others.length < names.length) throw new WrongUsage(`${names[others.length]} is missing.`)
  if (others.length > names.length) throw new WrongUsage(`${others[names.length]} is one word too many.`)
  return { values: values as Words<T>['values'], others }
}

const parse = (argv: readonly string[], options: Flags) => {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })
  } catch (error) {
    // The first sentence of an error of `parseArgs` names the flag.
    throw new WrongUsage(`${(error as Error).message.split('. ', 1)[0]!.replace(/\.$/, '')}.`)
  }
}

export const dataFlag = { data: { type: 'string' } } as const

export const dataFolderOf = (values: { data?: string | undefined }, env: NodeJS.ProcessEnv): string =>
  values.data ?? env['WAYMARK_DATA'] ?? './waymark-data'

/** Finds the store in a folder. The folder is only read unless `access` says otherwise. */
export const findStore = (path: string, access: 'write' | 'read' = 'read'): DataFolder => {
  if (!existsSync(join(path, 'store.json'))) {
    throw new OperatorError(`There is no store in ${path}; name its folder by --data.`)
  }
  return new DataFolder(path, access)
}

interface Asked {
  request: ClientRequest
  answer: IncomingMessage
}

/**
 * Sends a request to the engine that listens on a socket; undefined when none does. The body of a POST stays open.
 * Rejects with the engine's own message when the engine refuses.
 */
export const askEngine = async (
  socketPath: string,
  method: 'GET' | 'POST',
  path: string,
): Promise<Asked | undefined> => {
  const request = ask({ socketPath, method, path, agent: false })
  request.flushHeaders()
  if (method === 'GET') request.end()
  let answer: IncomingMessage
  try {
    ;[answer] = (await once(request, 'response')) as [IncomingMessage]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined
    throw error
  }
  // The request may fail while nobody reads its answer, and an unheard error would end this process.
  request.on('error', () => undefined)
  if (answer.statusCode === 200) return { request, answer }
  const { message } = JSON.parse(await text(answer)) as { message: string }
  throw new OperatorError(message)
}

interface OpenedStore {
  isRunning: boolean
  get(path: string): Promise<IncomingMessage>
}

/** Opens the catalogs without running a service. DuckDB adds the changes in each catalog's own log. */
const openCatalogs = async (
  folder: DataFolder,
  tempFolder: string,
  access: 'write' | 'read',
): Promise<DuckDBInstance> => {
  const instance = await DuckDBInstance.create(':memory:', {
    temp_directory: tempFolder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  const how = access === 'read' ? ' (READ_ONLY)' : ''
  for (const catalog of folder.catalogs) {
    const file = folder.catalogFile(catalog)
    const cutOff = await findCutOff(file)
    if (cutOff !== undefined) {
      instance.closeSync()
      throw damaged(cutOff)
    }
    try {
      await makeWay(connection, catalog)
      await connection.run(`ATTACH ${quoteText(file)} AS ${quoteIdentifier(catalog)}${how}`)
    } catch (error) {
      instance.closeSync()
      throw damaged(`DuckDB cannot open ${file} (${String(error).split('\n', 1)[0]!})`, 'the file')
    }
  }
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  connection.closeSync()
  return instance
}

interface OpenedCatalogs {
  connect(): Promise<DuckDBConnection>
  /** For files that are gone after the work. */
  tempFolder: string
  cleanups: Cleanups
}

/** Gives `work` the catalogs of a folder that no service uses, and locks the folder meanwhile. */
export const withCatalogs = async <T>(
  folder: DataFolder,
  access: 'write' | 'read',
  work: (opened: OpenedCatalogs) => Promise<T>,
): Promise<T> => {
  const cleanups = new Cleanups()
  try {
    cleanups.add(await lockFolder(folder))
    folder.check()
    const tempFolder = mkdtempSync(join(tmpdir(), 'waymark-'))
    cleanups.add(() => rmSync(tempFolder, { recursive: true }))
    const instance = await openCatalogs(folder, tempFolder, access)
    cleanups.add(() => instance.closeSync())
    return await work({ connect: () => instance.connect(), tempFolder, cleanups })
  } finally {
    await cleanups.run()
  }
}

/** Gives `work` the service that runs on a folder. When none runs, opens the store here, and locks the folder meanwhile. */
export const withStore = async <T>(
  folder: DataFolder,
  work: (store: OpenedStore) => Promise<T>,
): Promise<T> => {
  folder.check()
  const getFrom = (socket: string) => async (path: string) => {
    const asked = await askEngine(socket, 'GET', path)
    if (asked === undefined)
      throw new OperatorError(`The service on ${folder.path} has just ended. Try again.`)
    return asked.answer
  }
  if (await isAnswered(folder.socket)) return work({ isRunning: true, get: getFrom(folder.socket) })

  return withCatalogs(folder, 'read', async ({ connect, tempFolder, cleanups }) => {
    const listener = new Listener(
      careRoutes({ connect, catalogs: folder.catalogs, tempFolder }),
      new Logger('warn'),
    )
    const server = createServer((request, response) => listener.listen(request, response))
    cleanups.add(async () => {
      server.closeAllConnections()
      server.close()
      await listener.idle()
    })
    const socket =
      process.platform === 'win32'
        ? `\\\\.\\pipe\\waymark-care-${process.pid}`
        : join(tempFolder, 'care.sock')
    server.listen(socket)
    await once(server, 'listening')
    return await work({ isRunning: false, get: getFrom(socket) })
  })
}
