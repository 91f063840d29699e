import { Writer } from 'pg-protocol/dist/buffer-writer.js'
import type { Cell } from './encodeBinary.js'
import type { ProtocolError } from '../ProtocolError.js'
import type { Field } from '../types.js'

/*
 * Messages to a client: https://www.postgresql.org/docs/current/protocol-message-formats.html
 *
 * pg-protocol, the codec of node-postgres, writes the fields. `pg-gateway` would do the server's side, but
 * was tried and is not used. It takes messages of any length from clients without a password. It handles
 * a second piece of data while the first is still being handled. It knows neither CancelRequest nor
 * GSSENCRequest, nor protocol 3.2, nor the extended protocol. It sends ReadyForQuery before
 * BackendKeyData, and it prints to the console.
 */
const writer = new Writer(1024)

/** The byte that begins a message. */
const code = (letter: string) => letter.charCodeAt(0)

const empty = (letter: string) => {
  const message = writer.flush(code(letter))
  return () => message
}

export const copyDone = empty('c')
export const parseComplete = empty('1')
export const bindComplete = empty('2')
export const closeComplete = empty('3')
export const noData = empty('n')
export const portalSuspended = empty('s')
export const emptyQuery = empty('I')

export const authenticationOk = (): Buffer => writer.addInt32(0).flush(code('R'))

/** Asks for a login by one of these ways of SASL. */
export const askSasl = (mechanisms: readonly string[]): Buffer => {
  writer.addInt32(10)
  for (const each of mechanisms) writer.addCString(each)
  return writer.addCString('').flush(code('R'))
}
export const saslContinue = (text: string): Buffer => writer.addInt32(11).addString(text).flush(code('R'))
export const saslFinal = (text: string): Buffer => writer.addInt32(12).addString(text).flush(code('R'))

export const parameterStatus = (name: string, value: string): Buffer =>
  writer.addCString(name).addCString(value).flush(code('S'))

export const backendKey = (process: number, secret: number): Buffer =>
  writer.addInt32(process).addInt32(secret).flush(code('K'))

/** Tells the client that the service speaks protocol 3.0, and none of the options that it asked for. */
export const negotiateVersion = (options: readonly string[]): Buffer => {
  writer.addInt32(3 << 16).addInt32(options.length)
  for (const option of options) writer.addCString(option)
  return writer.flush(code('v'))
}

/** I: idle. T: in a transaction. E: in a transaction that failed. */
export type TransactionState = 'I' | 'T' | 'E'

export const readyForQuery = (state: TransactionState): Buffer => writer.addString(state).flush(code('Z'))

export const commandComplete = (tag: string): Buffer => writer.addCString(tag).flush(code('C'))

export const errorResponse = (
  { code: state, message, detail, position }: ProtocolError,
  severity: 'ERROR' | 'FATAL' = 'ERROR',
): Buffer => {
  writer.addString('S').addCString(severity).addString('V').addCString(severity)
  writer.addString('C').addCString(state).addString('M').addCString(message.replaceAll('\0', ''))
  if (detail !== undefined) writer.addString('D').addCString(detail.replaceAll('\0', ''))
  if (position !== undefined) writer.addString('P').addCString(String(position))
  return writer.addCString('').flush(code('E'))
}

/** The message before the first row of a COPY. */
export const copyOut = (format: 0 | 1, columns: number): Buffer => {
  writer.add(Buffer.from([format])).addInt16(columns)
  for (let at = 0; at < columns; at++) writer.addInt16(format)
  return writer.flush(code('H'))
}

export const copyData = (bytes: Buffer | string): Buffer =>
  (typeof bytes === 'string' ? writer.addString(bytes) : writer.add(bytes)).flush(code('d'))

export const parameterDescription = (oids: readonly number[]): Buffer => {
  writer.addInt16(oids.length)
  for (const oid of oids) writer.addInt32(oid)
  return writer.flush(code('t'))
}

export const rowDescription = (fields: readonly Field[], formats: readonly number[]): Buffer => {
  writer.addInt16(fields.length)
  for (const [at, { name, oid, size, modifier }] of fields.entries()) {
    writer.addCString(name.replaceAll('\0', '')).addInt32(0).addInt16(0).addInt32(oid).addInt16(size)
    writer.addInt32(modifier).addInt16(formats[at] ?? 0)
  }
  return writer.flush(code('T'))
}

export const dataRow = (cells: readonly Cell[]): Buffer => {
  writer.addInt16(cells.length)
  for (const cell of cells) {
    if (cell === null) writer.addInt32(-1)
    else if (typeof cell === 'string') writer.addInt32PrefixedString(cell)
    else writer.addInt32(cell.length).add(cell)
  }
  return writer.flush(code('D'))
}
