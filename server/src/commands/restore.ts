import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DuckDBInstance } from '@duckdb/node-api'
import { isDeepStrictEqual } from 'node:util'
import { readTar, type TarFile } from '../care/tar.js'
import { analyticsCatalog, internalSchema, quoteText } from '../duckdb/quote.js'
import { DataFolder, lockFolder, manifestName } from '../disk/DataFolder.js'
import { writeHashed, syncFolder } from '../disk/writeWhole.js'
import { OperatorError } from '../OperatorError.js'
import { LogStore } from '../wal/LogStore.js'
import { scanLog } from '../wal/scanLog.js'
import { type BackupHead, type BackupSums, catalogFileForm, headName, logStates, sumsName } from './backup.js'
import { type Command, type Given, dataFlag, dataFolderOf, readWords } from './Command.js'

const help = `waymark-server restore FILE --data FOLDER [--logs FOLDER]

Makes a data folder of a backup. The folder must be empty or missing. The service that is started on it
goes on after the rows of the backup.

  --data FOLDER   the new data folder   WAYMARK_DATA   ./waymark-data
  --logs FOLDER   the data folder that was lost, where its write-ahead logs are left: what it had
                  accepted after the backup, and still has in them, is stored at the next start
`

const cutOff = (file: string) => new OperatorError(`${file} is cut off or damaged; take another backup.`)

const isKnown = (name: string) =>
  name === manifestName || logStates.includes(name) || catalogFileForm.test(name)

const readHead = async (first: TarFile | undefined): Promise<BackupHead> => {
  if (first === undefined) throw new Error('it is empty')
  if (first.name !== headName) throw new Error(`it begins with ${first.name}`)
  const head = JSON.parse(await text(first.body)) as { format: number }
  if (head.format !== 1) throw new Error(`its format is ${head.format}`)
  return head as BackupHead
}

/** Unpacks a backup, and makes sure that every file is as it was written. */
const unpack = async (file: string, folder: string): Promise<BackupHead> => {
  const entries = readTar(createReadStream(file, { highWaterMark: 2 ** 20 }))
  let head: BackupHead
  try {
    head = await readHead((await entries.next()).value as TarFile | undefined)
  } catch (error) {
    throw new OperatorError(
      `${file} is no backup that this waymark-server knows (${(error as Error).message}).`,
    )
  }
  const found: Record<string, string> = {}
  let sums: BackupSums | undefined
  try {
    for await (const entry of entries) {
      if (entry.name === sumsName) sums = JSON.parse(await text(entry.body)) as BackupSums
      else if (isKnown(entry.name))
        found[entry.name] = (await writeHashed(join(folder, entry.name), entry.body)).sha256
      else throw cutOff(file)
    }
  } catch (error) {
    // An error of the file system, such as a full disk, says more than "cut off".
    throw error instanceof Error && 'syscall' in error ? error : cutOff(file)
  }
  const { [headName]: _, ...expected } = sums?.sha256 ?? {}
  if (sums === undefined || !isDeepStrictEqual(found, expected)) throw cutOff(file)
  return head
}

/** Writes a position into a catalog: its log then counts as applied up to there. */
const movePosition = async (file: string, schema: string, position: number): Promise<void> => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`ATTACH ${quoteText(file)} AS restored`)
  await connection.run(`UPDATE restored.${schema}.position SET applied = ${position}`)
  await connection.run('CHECKPOINT restored')
  await connection.run('DETACH restored')
  connection.closeSync()
  instance.closeSync()
}

/**
 * Copies the logs that are left in the lost folder. A log that ends before the backup's position is not needed. When a
 * log begins after that position, the rows between are lost, and the store goes on with the rows that there are.
 */
const takeLogs = async (
  old: string,
  { folder, head, print }: { folder: string; head: BackupHead; print: Given['print'] },
) => {
  for (const state of logStates) {
    const [from, to] = [join(old, dirname(state)), join(folder, dirname(state))]
    for (const catalog of LogStore.catalogsIn(to)) {
      // The lost store got these rows from a log in PostgreSQL, so its own log has none of them.
      if (LogStore.followsIn(from) && catalog === analyticsCatalog) continue
      if (!existsSync(join(from, catalog))) throw new OperatorError(`There is no log ${join(from, catalog)}.`)
      const { live, last } = await scanLog(join(from, catalog))
      const position = head.positions[catalog]!
      if (last <= position) continue
      rmSync(join(to, catalog), { recursive: true })
      cpSync(join(from, catalog), join(to, catalog), { recursive: true })
      const { before } = live[0]!
      if (before <= position) continue
      const schema = catalog === analyticsCatalog ? 'raw' : internalSchema
      await movePosition(join(folder, `${catalog}.duckdb`), schema, before)
      print(`Rows ${position + 1} to ${before} of ${catalog} are neither in the backup nor in the log.`)
    }
  }
}

/** Locks the lost folder, so that no service writes to its logs, and takes them. */
const takeLogsOf = async (old: string, into: Parameters<typeof takeLogs>[1]) => {
  if (!existsSync(old)) throw new OperatorError(`There is no folder ${old}.`)
  const unlock = await lockFolder(new DataFolder(old))
  await takeLogs(old, into).finally(unlock)
}

export const restore: Command = {
  name: 'restore',
  help,
  async run({ argv, env, print }) {
    const { values, others } = readWords(argv, { ...dataFlag, logs: { type: 'string' } }, [
      'The name of the backup',
    ])
    const file = others[0]!
    if (!existsSync(file)) throw new OperatorError(`There is no file ${file}.`)
    const target = dataFolderOf(values, env)
    if (existsSync(target) && readdirSync(target).length > 0) {
      throw new OperatorError(
        `${target} is not empty. Restore into a new folder, and start the service on that one.`,
      )
    }
    const folder = new DataFolder(target)
    const unfinished = join(folder.path, 'restoring')
    try {
      mkdirSync(unfinished, { mode: 0o700 })
      const head = await unpack(file, unfinished)
      for (const state of logStates) await LogStore.begin(join(unfinished, dirname(state)), head.positions)
      if (values.logs !== undefined) await takeLogsOf(values.logs, { folder: unfinished, head, print })
      // The manifest, which lists what must be there, is moved first: while the rest is missing no service starts here.
      const names = readdirSync(unfinished).filter((name) => name !== manifestName)
      for (const name of [manifestName, ...names]) renameSync(join(unfinished, name), join(folder.path, name))
      rmdirSync(unfinished)
      await syncFolder(folder.path)
      const rows = Object.entries(head.positions).map(
        ([catalog, position]) => `${catalog} through row ${position}`,
      )
      print(`${target} holds ${rows.join(', ')}, as of ${head.madeAt}.`)
      if (head.archive !== undefined) {
        print(
          `It needs ${head.archive.files} files of the archive ${head.archive.folder}: start the service with --archive and that folder, or the copy of it that belongs to this backup.`,
        )
      }
      return 0
    } finally {
      rmSync(unfinished, { recursive: true, force: true })
    }
  },
}
