import { HttpError, refuse } from '../http/HttpError.js'
import type { Over } from '../link/ownLimits.js'
import { isDiskFailing } from '../OperatorError.js'
import { diskFailing } from '../disk/DiskRoom.js'
import type { CsvDialect } from './createCsvReader.js'
import { quotedCopy } from './readRecords.js'
import { diskFull } from './spoolBody.js'

/** Makes the HttpError for a file that is wrong. */
export const refuseFile = (message: string): HttpError => refuse(400, 'invalid-upload', message)

/** Says what is wrong with a row of a csv file. DuckDB's number is one of rows: a text in quotes may have several lines. */
const rowProblem = (message: string, hasHeader: boolean): string | undefined => {
  const row = /CSV Error on Line: (\d+)/.exec(message)?.[1]
  if (row === undefined) return undefined
  const [, wanted, found] = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message) ?? []
  if (wanted !== undefined)
    return `Row ${row} has ${found} fields where ${hasHeader ? 'the header, which is row 1,' : 'row 1'} has ${wanted}.`
  if (message.includes('not utf-8')) return `Row ${row} holds bytes that are not UTF-8.`
  if (message.includes('unterminated quote')) return `Row ${row} has text behind the quotes of a field.`
  return undefined
}

/** Whether DuckDB broke. Then its message has a trace of its stack, with paths of the machine. */
const isBreak = (reason: string) => /^(INTERNAL|FATAL) Error|\bhas been invalidated\b/.test(reason)

/** The files of an upload, whose paths no client may learn. */
export interface UploadPaths {
  file: string
  stage: string
  /** How a csv file is written. */
  dialect?: CsvDialect | undefined
}

/** DuckDB's own words without what only helps those who know the service's SQL and folders. */
const tidy = (reason: string, { file, stage, dialect }: UploadPaths) =>
  rowProblem(reason, dialect?.header !== false) ??
  [quotedCopy(file), file, stage]
    .reduce((text, path) => text.replaceAll(path, 'the file'), reason)
    .split(/\n\s*(?:LINE \d+:|Possible (?:fixes|solutions?):|Try setting|Stack Trace)/i, 1)[0]!

const isOutOfDisk = (reason: string) =>
  /no space|ENOSPC|could not write|max_temp_directory_size|failed to offload/i.test(reason)

const tooMuchMemory = 'Reading the file takes more memory than a file may have. Send it in parts.'
const unreadable =
  'The file cannot be read: DuckDB, which reads it, breaks on it. Write it in another way, such as csv or json.'

/** Why the process that read a file has ended before it answered. */
export const explainEnd = (limit: Over['limit'] | undefined): HttpError => {
  if (limit === 'memory') return refuseFile(tooMuchMemory)
  return refuseFile(limit === 'time' ? 'Reading the file takes too long. Send it in parts.' : unreadable)
}

/** Why a file could not be read, from what DuckDB said about it in the process that read it. */
export const explainReading = (reason: string, paths: UploadPaths): HttpError => {
  if (isBreak(reason)) return refuseFile(unreadable)
  if (reason.startsWith('IO Error') && isDiskFailing(reason)) return diskFailing()
  if (isOutOfDisk(reason)) return diskFull()
  return refuseFile(reason.startsWith('Out of Memory Error') ? tooMuchMemory : tidy(reason, paths))
}

/** Why rows that were read could not be stored, from what the engine's DuckDB, or the system, said about it. */
export const explainStoring = (reason: string, paths: UploadPaths): HttpError => {
  if (isDiskFailing(reason)) return diskFailing()
  if (isOutOfDisk(reason)) return diskFull()
  if (!reason.startsWith('Out of Memory Error')) return refuseFile(tidy(reason, paths))
  const message = 'There is too little memory to store the file now. Nothing was stored.'
  return refuse(503, 'overloaded', message, { 'retry-after': '60' })
}
