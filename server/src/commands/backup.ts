import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { tarEnd, tarHeader, tarPadding } from '../care/tar.js'
import { type DataFolder, isAnswered, manifestName } from '../disk/DataFolder.js'
import { OperatorError } from '../OperatorError.js'
import { askEngine, type Command, dataFlag, dataFolderOf, findStore, readWords } from './Command.js'
import { putInPlace, readPart } from '../disk/writeWhole.js'
import type { ArchiveInUse } from '../archive/bindArchive.js'

/*
 * A backup is a tar file (care/tar.ts) with these files in this order:
 *
 * | file | meaning |
 * |---|---|
 * | `backup.json` | `BackupHead` |
 * | `store.json` | the list of what the data folder must hold |
 * | `accept-log/logs.json`, `append-log/logs.json` | the secrets that sign task ids, and the numbers of the logs |
 * | `analytics.duckdb` and so on | the file of each catalog |
 * | `checksums.json` | `BackupSums` |
 *
 * Check: `checksums.json` has the SHA-256 of each file before it, and nothing else may be in the tar file.
 * Another version: `format` is 1, and `restore` refuses any other number.
 */

/** The first file of a backup. */
export interface BackupHead {
  format: 1
  madeAt: string
  /** The sequence up to which each catalog holds the rows of its log. */
  positions: Record<string, number>
  /** The archive that the store needs, whose files are not in the backup. */
  archive?: ArchiveInUse
}

/** The last file: a backup without it is cut off. */
export interface BackupSums {
  /** The SHA-256 of each file before this one. */
  sha256: Record<string, string>
}

export const headName = 'backup.json'
export const sumsName = 'checksums.json'

/** The only files of the logs in a backup: they hold the secrets that sign task ids, and the numbers of the logs. */
export const logStates = ['accept-log/logs.json', 'append-log/logs.json']
export const catalogFileForm = /^[a-z][a-z0-9_]{0,62}\.duckdb$/

const help = `waymark-server backup FILE [--data FOLDER]

Writes all catalogs of the service that runs on a data folder into one file, each as it is between two
batches, while events are accepted and stored. Run it as the user that the service runs as. What comes
while it runs is not in the file. The file is a tar file of DuckDB files; waymark-server restore makes a
data folder of it. To back up a folder that no service uses, copy it.

  --data FOLDER   the data folder   WAYMARK_DATA   ./waymark-data
`

/** Writes files into a tar file, one after the other (care/tar.ts has the layout). */
class TarWriter {
  readonly sha256: Record<string, string> = {}
  readonly #out: FileHandle

  constructor(out: FileHandle) {
    this.#out = out
  }

  async add(name: string, bytes: number, source: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    const hash = createHash('sha256')
    await this.#out.writeFile(tarHeader({ name, bytes }))
    for await (const chunk of source) {
      hash.update(chunk)
      await this.#out.writeFile(chunk)
    }
    await this.#out.writeFile(tarPadding(bytes))
    this.sha256[name] = hash.digest('hex')
  }

  addJson(name: string, value: BackupHead | BackupSums): Promise<void> {
    const text = Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`)
    return this.add(name, text.length, [text])
  }

  /** Copies a file up to its present end: bytes that are added later belong to no checkpoint. */
  async addFile(name: string, path: string): Promise<void> {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      await this.add(name, size, readPart(file.fd, size))
    } finally {
      await file.close()
    }
  }

  async end(): Promise<void> {
    await this.#out.writeFile(tarEnd)
    await this.#out.datasync()
  }
}

/** Asks the engine to keep the catalogs' files unchanged. `release` ends that, and rejects if the engine has ended meanwhile. */
const holdFiles = async (folder: DataFolder) => {
  const asked = await askEngine(folder.socket, 'POST', '/care/hold')
  if (asked === undefined) {
    if (await isAnswered(folder.lockName)) {
      throw new OperatorError(
        `The engine of the service on ${folder.path} is being started. Try again in a moment.`,
      )
    }
    throw new OperatorError(
      `No service runs on ${folder.path}. A folder that no service uses can be copied as it is.`,
    )
  }
  const { request, answer } = asked
  const lines = createInterface({ input: answer })[Symbol.asyncIterator]()
  const next = async () => {
    const { value } = await lines.next().catch(() => ({ value: undefined }))
    if (value === undefined) throw new OperatorError('The engine of the service ended meanwhile. Try again.')
    return JSON.parse(value) as Pick<BackupHead, 'positions' | 'archive'>
  }
  return {
    ...(await next()),
    async release() {
      request.end()
      await next()
    },
    abandon: () => void request.destroy(),
  }
}

const writeBackup = async (folder: DataFolder, out: FileHandle): Promise<BackupHead> => {
  const { positions, archive, release, abandon } = await holdFiles(folder)
  try {
    const unserved = folder.catalogs.find((catalog) => !(catalog in positions))
    if (unserved !== undefined) {
      throw new OperatorError(
        `The service does not serve the catalog ${unserved}, which is in ${folder.path}. Start it with this one in --catalogs.`,
      )
    }
    const tar = new TarWriter(out)
    const head: BackupHead = {
      format: 1,
      madeAt: new Date().toISOString(),
      positions,
      ...(archive && { archive }),
    }
    await tar.addJson(headName, head)
    for (const name of [manifestName, ...logStates]) await tar.addFile(name, join(folder.path, name))
    for (const catalog of folder.catalogs) {
      const file = folder.catalogFile(catalog)
      await tar.addFile(basename(file), file)
    }
    await tar.addJson(sumsName, { sha256: tar.sha256 })
    await tar.end()
    await release()
    return head
  } catch (error) {
    abandon()
    throw error
  }
}

export const backup: Command = {
  name: 'backup',
  help,
  async run({ argv, env, print }) {
    const { values, others } = readWords(argv, dataFlag, ['The name of the file'])
    const file = others[0]!
    if (existsSync(file)) throw new OperatorError(`${file} exists already; name a new file.`)
    const folder = findStore(dataFolderOf(values, env))
    const partial = `${file}.partial`
    const out = await open(partial, 'w', 0o600)
    try {
      const { positions, archive } = await writeBackup(folder, out).finally(() => out.close())
      await putInPlace(partial, file)
      const rows = Object.entries(positions).map(
        ([catalog, position]) => `${catalog} through row ${position}`,
      )
      print(`${file} holds ${rows.join(', ')} of the logs.`)
      if (archive !== undefined) {
        print(
          `Not in it: ${archive.events} events in ${archive.files} files of the archive ${archive.folder}. Copy that folder too; its files never change.`,
        )
      }
      return 0
    } finally {
      await rm(partial, { force: true })
    }
  },
}
