import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  describeFields,
  addFields,
  type FieldMap,
  type Fields,
  quoteNumber,
} from '../append/describeFields.js'
import { createFieldRewriter } from '../http/json/createFieldRewriter.js'
import { checkValue, halfFinder } from '../http/json/storableJson.js'
import { HttpError, refuse } from '../http/HttpError.js'
import { parseJson } from '../http/readJson.js'
import { requireRoom } from './spoolBody.js'
import { nameProblem } from '../append/planAppend.js'

/** The path of the second copy of a spooled file, if one is made. */
export const quotedCopy = (file: string): string => `${file}_quoted`

export interface JsonRecords {
  fields: Fields
  records: number
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [open, openList, close, closeList] = [0x7b, 0x5b, 0x7d, 0x5d]
const readBytes = 2 ** 20
/** DuckDB's `maximum_object_size` is 16 MiB, for a record together with the blanks beside it. */
const maxRecordBytes = 16_000_000

const wrong = (message: string) => refuse(400, 'invalid-upload', message)

interface FoundRecord {
  json: Buffer
  /** How many fields it names. */
  names: number
}

/**
 * Finds the records of a JSON file, which is a list of objects or has one object after the other. What stands in an
 * object is not checked. The states, of what may come next:
 *
 *     start ── [ ──> first ── {…} ──> next ── ] ──> end
 *       │              └── ] ──> end    └── , ──> item ── {…} ──> next
 *       └── {…} ──> row ── {…} ──> row
 */
const createRecordFinder = () => {
  let state: 'start' | 'first' | 'next' | 'item' | 'row' | 'end' = 'start'
  let records = 0
  let depth = 0
  let isInText = false
  let isEscaped = false
  let names = 0
  /** The bytes of the open record. */
  let rest: Buffer = Buffer.alloc(0)

  const isLong = (bytes: number) => {
    if (bytes <= maxRecordBytes) return
    throw wrong(`Record ${records + 1} has more than ${maxRecordBytes.toLocaleString('en')} bytes.`)
  }
  const takeOutside = (byte: number) => {
    if (byte === open && state !== 'next' && state !== 'end') depth = 1
    else if (byte === openList && state === 'start') state = 'first'
    else if (byte === closeList && (state === 'first' || state === 'next')) state = 'end'
    else if (byte === comma && state === 'next') state = 'item'
    else if (state === 'next' || state === 'end' || byte === comma || byte === closeList)
      throw wrong(`The JSON is wrong ${records === 0 ? 'at its beginning' : `behind record ${records}`}.`)
    else throw wrong(`Record ${records + 1} is no object.`)
  }

  return {
    feed(chunk: Buffer): FoundRecord[] {
      const found: FoundRecord[] = []
      const json = Buffer.concat([rest, chunk])
      let start = 0
      for (let at = rest.length; at < json.length; at++) {
        const byte = json[at]!
        if (isInText) {
          if (isEscaped) isEscaped = false
          else if (byte === backslash) isEscaped = true
          else if (byte === quote) isInText = false
        } else if (depth === 0) {
          if ([0x20, 0x09, 0x0a, 0x0d].includes(byte)) continue
          takeOutside(byte)
          start = at
          names = 0
        } else if (byte === quote) isInText = true
        else if (byte === open || byte === openList) depth++
        else if (byte === colon && depth === 1) names++
        else if ((byte === close || byte === closeList) && --depth === 0) {
          isLong(at + 1 - start)
          records++
          found.push({ json: json.subarray(start, at + 1), names })
          if (state === 'start') state = 'row'
          else if (state !== 'row') state = 'next'
        }
      }
      rest = depth === 0 ? Buffer.alloc(0) : json.subarray(start)
      isLong(rest.length)
      return found
    },
    end() {
      if (depth !== 0 || state === 'first' || state === 'next' || state === 'item')
        throw wrong('The JSON is not complete: a bracket or text is open.')
    },
  }
}

/** Parses a record as `/append` does, and refuses what that refuses. */
const parseRecord = ({ json, names }: FoundRecord, at: number): Record<string, unknown> => {
  let value: Record<string, unknown>
  try {
    value = parseJson(json, `Record ${at}`).value as Record<string, unknown>
  } catch (error) {
    throw error instanceof HttpError ? wrong(error.message) : error
  }
  const problem = checkValue(value)
  if (problem !== undefined) throw wrong(`Record ${at} ${problem}.`)
  const half = halfFinder(json)(value)
  if (half !== undefined) throw wrong(`Record ${at}: ${half}.`)
  if (Object.keys(value).length < names) throw wrong(`Record ${at} names the field ${repeated(json)} twice.`)
  return value
}

/** The first name that a record has twice, as it is written there. */
const repeated = (json: Buffer): string => {
  const seen = new Set<string>()
  let depth = 0
  let name = ''
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) {
      const start = at
      for (at++; json[at] !== quote; at++) if (json[at] === backslash) at++
      if (depth === 1) name = json.toString('utf8', start, at + 1)
    } else if (byte === open || byte === openList) depth++
    else if (byte === close || byte === closeList) depth--
    else if (byte === colon && depth === 1) {
      const key = JSON.stringify(JSON.parse(name))
      if (seen.has(key)) return key
      seen.add(key)
    }
  }
  return ''
}

/**
 * Reads every record of a JSON file, by the rules of `/append`, and finds the kinds of all fields. DuckDB would take
 * more than JSON allows, read only the first records, leave out a field that comes later, and change names that it
 * does not accept. `checkNames` throws where the fields found so far are not wanted, before others are gathered.
 */
export const readRecords = async (
  file: string,
  checkNames: (names: readonly string[]) => void,
): Promise<JsonRecords> => {
  const finder = createRecordFinder()
  const fields: FieldMap = new Map()
  let records = 0
  let known = 0
  for await (const chunk of createReadStream(file, { highWaterMark: readBytes })) {
    const found = finder.feed(chunk as Buffer)
    if (found.length === 0) continue
    const values = found.map((record, at) => parseRecord(record, records + at + 1))
    records += found.length
    addFields(fields, describeFields(values, found.map(({ json }) => json.toString()).join('\n')))
    if (fields.size === known) continue
    known = fields.size
    const names = [...fields.keys()]
    const problem = nameProblem(names)
    if (problem !== undefined) throw wrong(problem)
    checkNames(names)
  }
  finder.end()
  return { fields: Object.fromEntries(fields), records }
}

/**
 * DuckDB reads each fraction in JSON as a DOUBLE, whatever column it is for. This writes a copy of the file in which
 * the numbers of these fields are texts, and returns its path.
 */
export const quoteNumbers = async (file: string, fields: readonly string[]): Promise<string> => {
  if (fields.length === 0) return file
  // The copy has two more bytes for each number. Asking for twice the size leaves room for other writers too.
  await requireRoom(file, 2 * (await stat(file)).size)
  const rewriter = createFieldRewriter({ fields: new Set(fields), rewrite: quoteNumber })
  const rewrite = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, rewriter.feed(chunk))
    },
  })
  const copy = quotedCopy(file)
  await pipeline(createReadStream(file), rewrite, createWriteStream(copy, { flags: 'wx', mode: 0o600 }))
  return copy
}
