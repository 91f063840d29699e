import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { OperatorError } from '../OperatorError.js'
import { readMark, type Reached } from './LogMark.js'
import { headBytes, readHead, scanSegment, type Held, type SegmentHead } from './segment.js'
import { listSegments, segmentFile } from './SegmentFiles.js'

const broken = (file: string, what: string) =>
  new OperatorError(
    `The store is damaged: the write-ahead log ${file} ${what}. Nothing was changed; restore the data folder from a backup, or let waymark-server salvage keep what can still be read.`,
  )

/** The sequence before the oldest row of a log that another process may be writing, 0 for a new one. */
export const beforeOf = (folder: string): number => {
  for (const number of listSegments(folder)) {
    const bytes = Buffer.alloc(headBytes)
    const handle = openSync(segmentFile(folder, number), 'r')
    readSync(handle, bytes, 0, headBytes, 0)
    closeSync(handle)
    const head = readHead(bytes)
    if (head?.number === number) return head.before
  }
  return 0
}

export interface FoundLog {
  /** The segments that hold rows, oldest first. */
  live: SegmentHead[]
  /** The numbers of segments that were made and not used. */
  spares: number[]
  /** The sequence of the newest row. */
  last: number
  /** Where the last segment goes on. */
  end: number
  held: Held[]
}

/** Throws where a log ends before the place that it is known to have reached. */
const checkReached = (folder: string, { live, last }: Pick<FoundLog, 'live' | 'last'>, reached: Reached) => {
  const newest = live.at(-1)?.number ?? 0
  const lost = last < reached.last ? `; rows ${last + 1} to ${reached.last} were in it` : ''
  if (newest < reached.segment) {
    const file = segmentFile(folder, newest + 1)
    throw broken(file, `${existsSync(file) ? 'holds nothing but zeros' : 'is missing'}${lost}`)
  }
  if (lost !== '') throw broken(segmentFile(folder, newest), `has lost its end${lost}`)
}

/** Reads all of a log, and throws where it is not as it was written. An empty one begins behind `before`. */
export const scanLog = async (folder: string, before = 0): Promise<FoundLog> => {
  // Before the segments: of a log that is being written they are further than what was noted then.
  const reached = await readMark(folder)
  const live: SegmentHead[] = []
  const spares: number[] = []
  const held: Held[] = []
  let [last, end] = [before, headBytes]
  for (const number of listSegments(folder)) {
    const file = segmentFile(folder, number)
    const bytes = await readFile(file)
    const head = readHead(bytes)
    if (
      head === undefined &&
      (bytes.length < headBytes || bytes.subarray(0, headBytes).some((byte) => byte !== 0))
    )
      throw broken(file, 'is overwritten')
    if (head?.number !== number) {
      spares.push(number)
      continue
    }
    const previous = live.at(-1)
    if (bytes.length !== head.bytes) throw broken(file, 'is cut off')
    if (spares.length > 0) throw broken(segmentFile(folder, spares[0]!), 'is overwritten')
    if (previous !== undefined && (previous.number !== number - 1 || head.before !== last))
      throw broken(segmentFile(folder, previous.number), 'has lost its end')
    const scan = scanSegment(bytes, head)
    if (scan.broken) throw broken(file, 'is overwritten in the middle')
    live.push(head)
    ;({ last, end } = scan)
    held.push(...scan.held)
  }
  if (reached !== undefined) checkReached(folder, { live, last }, reached)
  return { live, spares, last, end, held }
}
