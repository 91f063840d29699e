import { existsSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../store/syncFolder.js'
import { readMark } from './LogMark.js'
import { listSegments, segmentFile } from './SegmentFiles.js'
import { headBytes, readHead, wholeFrames } from './segment.js'
import { restOf } from './splitEntry.js'
import { WriteAheadLog } from './WriteAheadLog.js'

export interface Salvaged {
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
export const salvageLog = async (folder: string, applied: number): Promise<Salvaged> => {
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
