import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { OperatorError } from '../OperatorError.js'
import { readMark, type Reached } from './LogMark.js'
import { headBytes, readHead, scanSegment, type Held, type SegmentHead } from './segment.js'
import { listSegments, segmentFile } from './SegmentFiles.js'

const damagedLog = (file: string, what: string) =>
  new OperatorError(
    `The store is damaged: the write-ahead log ${file} ${what}. Nothing was changed; restore the data folder from a backup, or let waymark-server salvage keep what can still be read.`,
  )

/** The sequence before the oldest row of a log, 0 for a new log. Another process may be writing it. */
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
  /** The numbers of segments that were made but never used. */
  spares: number[]
  /** The sequence of the newest row. */
  last: number
  /** Where the next frame goes in the last segment. */
  end: number
  held: Held[]
}

/** Throws when a log ends before the row that its mark says it has reached. */
const checkReached = (folder: string, { live, last }: Pick<FoundLog, 'live' | 'last'>, reached: Reached) => {
  const newest = live.at(-1)?.number ?? 0
  const lost = last < reached.last ? `; rows ${last + 1} to ${reached.last} were in it` : ''
  if (newest < reached.segment) {
    const file = segmentFile(folder, newest + 1)
    throw damagedLog(file, `${existsSync(file) ? 'holds nothing but zeros' : 'is missing'}${lost}`)
  }
  if (lost !== '') throw damagedLog(segmentFile(folder, newest), `has lost its end${lost}`)
}

/** Reads a whole log, and throws when it is damaged. An empty log begins after row `before`. */
export const scanLog = async (folder: string, before = 0): Promise<FoundLog> => {
  // The mark is read before the segments: while another process writes, the segments only get further than the mark.
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
      throw damagedLog(file, 'is overwritten')
    if (head?.number !== number) {
      spares.push(number)
      continue
    }
    const previous = live.at(-1)
    if (bytes.length !== head.bytes) throw damagedLog(file, 'is cut off')
    if (spares.length > 0) throw damagedLog(segmentFile(folder, spares[0]!), 'is overwritten')
    if (previous !== undefined && (previous.number !== number - 1 || head.before !== last))
      throw damagedLog(segmentFile(folder, previous.number), 'has lost its end')
    const scan = scanSegment(bytes, head)
    if (scan.isBroken) throw damagedLog(file, 'is overwritten in the middle')
    live.push(head)
    ;({ last, end } = scan)
    held.push(...scan.held)
  }
  if (reached !== undefined) checkReached(folder, { live, last }, reached)
  return { live, spares, last, end, held }
}
