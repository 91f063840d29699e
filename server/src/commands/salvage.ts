import { existsSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readPosition } from '../care/checkCatalogs.js'
import { LogStore } from '../wal/LogStore.js'
import { scanLog, readMark } from '../wal/scanLog.js'
import { type Command, dataFlag, dataFolderOf, findStore, readWords, withCatalogs } from './Command.js'
import { syncFolder } from '../disk/writeWhole.js'
import { listSegments, segmentFile } from '../wal/SegmentFiles.js'
import { headBytes, readHead, restOf, wholeFrames } from '../wal/segment.js'
import { WriteAheadLog } from '../wal/WriteAheadLog.js'

interface Salvaged {
  /** Rows that were kept and are not in the catalog yet. */
  kept: number
  /** Rows that were accepted, and are neither kept nor in the catalog. */
  lost: number
}

/** When a head is damaged, its salt may still be readable, and frames can be found by it. */
const saltOf = (bytes: Buffer, number: number): Buffer | undefined => {
  const head = readHead(bytes)
  if (head !== undefined) return head.number === number ? head.salt : undefined
  const salt = bytes.subarray(8, 16)
  return bytes.length > headBytes && salt.some((byte) => byte !== 0) ? salt : undefined
}

/** Replaces a damaged log by a new one with the rows after `applied`, which its catalog lacks, as far as they can be read. */
const salvageLog = async (folder: string, applied: number): Promise<Salvaged> => {
  const [fresh, damaged] = [`${folder}.salvaged`, `${folder}.damaged`]
  // An earlier try may have been killed between the two renames.
  if (!existsSync(folder) && existsSync(damaged)) renameSync(damaged, folder)
  rmSync(fresh, { recursive: true, force: true })
  const log = await WriteAheadLog.open(fresh, applied)
  let reached = Math.max(applied, (await readMark(folder))?.last ?? 0)
  let kept = 0
  try {
    for (const number of existsSync(folder) ? listSegments(folder) : []) {
      const bytes = await readFile(segmentFile(folder, number))
      const salt = saltOf(bytes, number)
      if (salt === undefined) continue
      for (const { entries } of wholeFrames(bytes, salt)) {
        // Rows up to `applied` are stored. Rows that come a second time are left from an earlier use of the file.
        for (const { first, request: _, ...record } of entries.flatMap((each) => restOf(each, log.last))) {
          log.skipTo(first - 1)
          await log.append(record)
          kept += record.count
        }
      }
      reached = Math.max(reached, log.last, readHead(bytes)?.before ?? 0)
    }
    await log.close()
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw error
  }
  if (existsSync(folder)) renameSync(folder, damaged)
  renameSync(fresh, folder)
  // The old log goes only once the name of the new one is on the disk.
  await syncFolder(dirname(folder))
  rmSync(damaged, { recursive: true, force: true })
  return { kept, lost: reached - applied - kept }
}

const help = `waymark-server salvage [--data FOLDER]

For a data folder whose write-ahead log has lost a file or a part of one, so that the service refuses it.
Writes that log anew with every row that can still be read, and says how many accepted rows are given up.
A log that is whole is left alone. Stop the service first, and copy the folder: what cannot be read is
removed.

  --data FOLDER   the data folder   WAYMARK_DATA   ./waymark-data
`

const isWhole = (log: string) =>
  scanLog(log).then(
    () => true,
    () => false,
  )

export const salvage: Command = {
  name: 'salvage',
  help,
  async run({ argv, env, print }) {
    const { values } = readWords(argv, dataFlag)
    const folder = findStore(dataFolderOf(values, env), 'write')
    await withCatalogs(folder, 'read', async ({ connect, cleanups }) => {
      const connection = await connect()
      cleanups.add(() => connection.closeSync())
      for (const logs of [folder.acceptLog, folder.appendLog]) {
        for (const catalog of LogStore.catalogsIn(logs)) {
          const log = join(logs, catalog)
          if (await isWhole(log)) {
            print(`${log} is whole.`)
            continue
          }
          const applied = await readPosition(connection, catalog)
          const { kept, lost } = await salvageLog(log, applied)
          print(
            `${log} was damaged: ${catalog} has its rows through ${applied}, ${kept} later ones were kept, and ${lost} accepted rows are given up.`,
          )
        }
      }
    })
    return 0
  },
}
