import type { IncomingMessage } from 'node:http'
import { refuse } from '../http/HttpError.js'
import { readBody, unpackHeld } from '../http/readBody.js'
import { parseJson } from '../http/readJson.js'

/** The largest batches of SDKs have 5 MB. */
const maxBodyBytes = 8 * 1_048_576
/** A new name costs JSON.parse almost a microsecond: a hundred events of a browser's SDK have some 15,000. */
const maxNames = 50_000
const maxValues = 200_000
/** A little more than what the check of payloads allows, whose message names the value. */
const maxDepth = 140

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [open, openList, close, closeList] = [0x7b, 0x5b, 0x7d, 0x5d]

/** Refuses JSON that would take long to parse: the contract's own bodies are cut by the items of their list. */
const checkSize = (json: Buffer): void => {
  let [depth, names, values] = [0, 0, 0]
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) {
      at++
      while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1
    } else if (byte === open || byte === openList) {
      depth++
      values++
    } else if (byte === close || byte === closeList) depth--
    else if (byte === comma) values++
    else if (byte === colon) names++
    if (depth > maxDepth)
      throw refuse(400, 'invalid-body', `The body is nested deeper than ${maxDepth} levels.`)
    if (names > maxNames || values > maxValues)
      throw refuse(
        413,
        'body-too-large',
        `The body has more than ${maxNames} names or ${maxValues} values. Send fewer events at once.`,
      )
  }
}

const read = (json: Buffer): unknown => {
  checkSize(json)
  return parseJson(json).value
}

const startsJson = (bytes: Buffer): boolean => /^[\s\uFEFF]*[[{]/.test(bytes.toString('utf8', 0, 64))

/** JSON, or its base64, as the field `data` of a form or an address has it. */
const readData = async (request: IncomingMessage, data: string): Promise<unknown> => {
  const plain = Buffer.from(data)
  if (startsJson(plain)) return read(plain)
  const decoded = Buffer.from(data, 'base64')
  return read(await unpackHeld(request, decoded, maxBodyBytes))
}

/**
 * Reads what an SDK sends: JSON, gzipped or not, whatever the type says that it gives its body, or a form with JSON or
 * its base64 in `data`.
 */
export const readAsked = async (request: IncomingMessage, search: URLSearchParams): Promise<unknown> => {
  const inAddress = search.get('data')
  if (request.method === 'GET') return inAddress === null ? undefined : readData(request, inAddress)
  const sent = await readBody(request, maxBodyBytes)
  const body = await unpackHeld(request, sent, maxBodyBytes)
  if (body.length === 0 && inAddress !== null) return readData(request, inAddress)
  if (body.length === 0 || startsJson(body)) return read(body)
  const form = new URLSearchParams(body.toString())
  const data = form.get('data')
  // A form's other fields stand for those of an address.
  for (const [name, value] of data === null ? [] : form) if (name !== 'data') search.append(name, value)
  return data === null ? read(body) : readData(request, data)
}
