import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type DataFolder, makeFolders } from '../disk/DataFolder.js'
import { OperatorError, reasonOf } from '../OperatorError.js'
import { type ArchiveFolder, readArchivedFiles } from './ArchivedFile.js'
import { writeWhole } from '../disk/writeWhole.js'

/** The archive that a store needs beside its data folder. */
export interface ArchiveInUse {
  folder: string
  files: number
  events: number
}

/** Describes the store's archive; undefined when no file of one is listed. */
export const describeArchive = async (connection: DuckDBConnection): Promise<ArchiveInUse | undefined> => {
  const files = await readArchivedFiles(connection)
  if (files.length === 0) return undefined
  const events = files.reduce((sum, file) => sum + file.events, 0)
  return { folder: (await readArchivePath(connection))!, files: files.length, events }
}

/** The file that names the store to which an archive's folder belongs. */
const markerName = 'archive.json'
const unfinishedMarker = `${markerName}.new`

const markerOf = ({ path }: ArchiveFolder) => join(path, markerName)

/** Whether the archive is there: without its disk there would be an empty folder at the same path. */
export const isThere = (archive: ArchiveFolder): boolean => existsSync(markerOf(archive))

export const archiveFolderOf = (
  given: string | undefined,
  { path: data, temp }: DataFolder,
  isShared: boolean,
): ArchiveFolder | undefined => {
  if (given === undefined) return undefined
  const path = resolve(given)
  // DuckDB takes a path with these signs for a pattern.
  const pattern = [path, data].find((each) => /[*?[\]]/.test(each))
  if (pattern !== undefined)
    throw new OperatorError(`The archive ${path} cannot be used: ${pattern} has one of the signs * ? [ ].`)
  if (data === path || `${data}${sep}`.startsWith(`${path}${sep}`))
    throw new OperatorError(`The archive ${path} holds the data folder; choose a folder for it alone.`)
  return { path, temp, isShared, damaged: new Set() }
}

export const readArchiveId = async (connection: DuckDBConnection): Promise<string | undefined> =>
  (await connection.runAndReadAll('SELECT id FROM analytics.raw.archive')).getRows()[0]?.[0] as
    | string
    | undefined

/** The archive's folder at the last start; undefined when there was none. */
export const readArchivePath = async (connection: DuckDBConnection): Promise<string | undefined> =>
  (await connection.runAndReadAll('SELECT folder FROM analytics.raw.archive')).getRows()[0]?.[0] as
    | string
    | undefined

/** Whose the folder is: a store's, or a log's whose stores share it. */
interface Marker {
  store?: string
  log?: string
}

export const readMarker = (archive: ArchiveFolder): Marker => {
  try {
    return JSON.parse(readFileSync(markerOf(archive), 'utf8')) as Marker
  } catch (error) {
    throw new OperatorError(`${markerOf(archive)} cannot be read (${(error as Error).message}).`)
  }
}

/** Marks the folder as somebody's archive, and throws when nothing can be written there. */
export const takeFolder = (archive: ArchiveFolder, owner: Marker): void => {
  const { path } = archive
  try {
    makeFolders(path)
    if (!isThere(archive)) {
      writeWhole(markerOf(archive), `${JSON.stringify({ format: 1, ...owner })}\n`)
      return
    }
    const probe = join(path, '.writable')
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    throw new OperatorError(`The archive ${path} cannot be used: ${reasonOf(error)}.`)
  }
}

export const entriesOf = (path: string): string[] => {
  try {
    return existsSync(path) ? readdirSync(path).filter((name) => name !== unfinishedMarker) : []
  } catch (error) {
    throw new OperatorError(`The archive ${path} cannot be used: ${(error as Error).message}.`)
  }
}

/** Makes sure that a folder is the archive of the open store. An empty folder becomes its archive. */
export const bindArchive = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder | undefined,
): Promise<void> => {
  const files = (await readArchivedFiles(connection)).length
  if (archive === undefined) {
    if (files === 0) return
    throw new OperatorError(
      `The store has events in ${files} files of an archive; name its folder by --archive.`,
    )
  }
  // The list of a shared archive says whose the folder is, once its server is reached.
  if (archive.isShared) return
  const { path } = archive
  const known = await readArchiveId(connection)
  if (isThere(archive)) {
    if (readMarker(archive).store !== known)
      throw new OperatorError(`The archive ${path} belongs to another store; choose another folder.`)
  } else if (files > 0) {
    throw new OperatorError(
      `The archive ${path} has no ${markerName}, and the store has events in ${files} files of it: mount its disk, or name the right folder by --archive.`,
    )
  } else if (entriesOf(path).length > 0) {
    throw new OperatorError(`The archive ${path} holds other files; choose an empty or a new folder.`)
  }
  const id = known ?? randomUUID()
  // The id goes to the store first: a folder with an id that no store knows could never be used again.
  if (known === undefined)
    await connection.run('INSERT INTO analytics.raw.archive (id, folder) VALUES ($1, $2)', [id, path])
  else await connection.run('UPDATE analytics.raw.archive SET folder = $1', [path])
  takeFolder(archive, { store: id })
}
