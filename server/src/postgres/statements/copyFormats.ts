import { type Cell, binaryEncoder } from '../messages/encodeBinary.js'
import { copyData } from '../messages/messages.js'
import type { Settings } from '../Settings.js'
import { rowStyle } from '../rowStyle.js'
import type { Field } from '../types.js'
import type { TextRow } from '../openQuery.js'

/** https://www.postgresql.org/docs/current/sql-copy.html */
export interface CopyFormat {
  kind: 'text' | 'csv' | 'binary'
  delimiter: string
  nullText: string
  hasHeader: boolean
  quote: string
  /** Stands before a quote in a quoted value; the quote itself where it is empty. */
  escape: string
  /** The columns whose values are always quoted. */
  quoted: readonly string[] | 'all'
}

const plain = { hasHeader: false, quote: '"', escape: '', quoted: [] }

export const copyDefaults: Record<CopyFormat['kind'], CopyFormat> = {
  text: { ...plain, kind: 'text', delimiter: '\t', nullText: '\\N' },
  csv: { ...plain, kind: 'csv', delimiter: ',', nullText: '' },
  binary: { ...plain, kind: 'binary', delimiter: '', nullText: '' },
}

/** What is sent for a row, and behind the last. The first message of a binary copy begins with its signature. */
export interface CopyWriter {
  columns: number
  format: 0 | 1
  before: Buffer[]
  row(row: TextRow): Buffer
  after(): Buffer[]
}

const escapes: Record<string, string> = { '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v', '\\': '\\\\' } // prettier-ignore

const textLine = ({ delimiter, nullText }: CopyFormat) => {
  const write = (value: string) =>
    value
      .replaceAll(/[\b\f\n\r\t\v\\]/g, (sign) => escapes[sign]!)
      .replaceAll(delimiter, (sign) => (sign === '\t' ? '\\t' : `\\${sign}`))
  return (row: TextRow) =>
    `${row.map((value) => (value === null ? nullText : write(value))).join(delimiter)}\n`
}

const csvLine = ({ delimiter, nullText, quote, escape, quoted }: CopyFormat, names: readonly string[]) => {
  const always = names.map((name) => quoted === 'all' || quoted.includes(name))
  const before = escape === '' ? quote : escape
  const mustQuote = (value: string) =>
    value === nullText ||
    value === '\\.' ||
    [delimiter, quote, '\n', '\r'].some((sign) => value.includes(sign))
  const inQuotes = (value: string) => {
    const escaped = before === quote ? value : value.replaceAll(before, () => before + before)
    return quote + escaped.replaceAll(quote, () => before + quote) + quote
  }
  const write = (value: string | null, at: number) =>
    value === null ? nullText : always[at] === true || mustQuote(value) ? inQuotes(value) : value
  return (row: TextRow) => `${row.map(write).join(delimiter)}\n`
}

const binaryRow = (cells: readonly Cell[]): Buffer => {
  const count = Buffer.alloc(2)
  count.writeInt16BE(cells.length)
  return Buffer.concat([
    count,
    ...cells.flatMap((cell) => {
      const length = Buffer.alloc(4)
      length.writeInt32BE(cell === null ? -1 : cell.length)
      return cell === null ? [length] : [length, Buffer.from(cell)]
    }),
  ])
}

const binarySignature = Buffer.from('PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const binaryEnd = Buffer.from([255, 255])

export const copyWriter = (format: CopyFormat, fields: readonly Field[], settings: Settings): CopyWriter => {
  if (format.kind === 'binary') {
    const encoders = fields.map(({ oid }) => binaryEncoder(oid))
    let signature = binarySignature
    const send = (bytes: Buffer) => {
      const all = Buffer.concat([signature, bytes])
      signature = Buffer.alloc(0)
      return copyData(all)
    }
    const encode = (value: string | null, at: number) => (value === null ? null : encoders[at]!(value))
    return {
      columns: fields.length,
      format: 1,
      before: [],
      row: (row) => send(binaryRow(row.map(encode))),
      after: () => [send(binaryEnd)],
    }
  }
  const names = fields.map(({ name }) => name)
  const line = format.kind === 'csv' ? csvLine(format, names) : textLine(format)
  const header = format.kind === 'csv' ? csvLine({ ...format, quoted: [] }, names) : line
  const style = rowStyle(fields, settings)
  return {
    columns: fields.length,
    format: 0,
    before: format.hasHeader ? [copyData(header(names))] : [],
    row: (row) => copyData(line(style === undefined ? row : row.map(style))),
    after: () => [],
  }
}
