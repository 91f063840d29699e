import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ClientRequest, request as ask } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { text } from 'node:stream/consumers'
import { careRoutes } from '../care/careRoutes.js'
import { Cleanups } from '../Cleanups.js'
import { Listener } from '../http/Listener.js'
import { Logger } from '../Logger.js'
import type { DataFolder } from '../disk/DataFolder.js'
import { isAnswered, lockFolder } from '../disk/lockFolder.js'
import { quoteIdentifier, quoteText, makeWay } from '../duckdb/quote.js'
import { findCutOff } from '../duckdb/WalMark.js'
import { damaged, OperatorError } from '../OperatorError.js'

export interface Asked {
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

export interface OpenedStore {
  isRunning: boolean
  get(path: string): Promise<IncomingMessage>
}

/** Opens the catalogs for reading only. DuckDB adds the changes in each catalog's own log. */
export const openCatalogs = async (folder: DataFolder, tempFolder: string): Promise<DuckDBInstance> => {
  const instance = await DuckDBInstance.create(':memory:', {
    temp_directory: tempFolder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  for (const catalog of folder.catalogs) {
    const file = folder.catalogFile(catalog)
    const cutOff = await findCutOff(file)
    if (cutOff !== undefined) {
      instance.closeSync()
      throw damaged(cutOff)
    }
    try {
      await makeWay(connection, catalog)
      await connection.run(`ATTACH ${quoteText(file)} AS ${quoteIdentifier(catalog)} (READ_ONLY)`)
    } catch (error) {
      instance.closeSync()
      throw damaged(`DuckDB cannot open ${file} (${String(error).split('\n', 1)[0]!})`, 'the file')
    }
  }
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  connection.closeSync()
  return instance
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

  const cleanups = new Cleanups()
  try {
    cleanups.add(await lockFolder(folder))
    const tempFolder = mkdtempSync(join(tmpdir(), 'waymark-'))
    cleanups.add(() => rmSync(tempFolder, { recursive: true }))
    const instance = await openCatalogs(folder, tempFolder)
    cleanups.add(() => instance.closeSync())
    const connect = () => instance.connect()
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
  } finally {
    await cleanups.run()
  }
}
