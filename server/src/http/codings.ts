import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { refuse, shorten } from './HttpError.js'
import { readBody } from './readBody.js'

const unpack = promisify(gunzip)

/** Whether a body is gzipped. A coding that is not known is refused: its bytes would be read as what they are not. */
const isGzipped = ({ headers }: IncomingMessage): boolean => {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (coding === 'identity') return false
  if (coding === 'gzip' || coding === 'x-gzip') return true
  const message = `Content-Encoding must be gzip or absent, not ${JSON.stringify(shorten(coding))}.`
  throw refuse(415, 'unknown-encoding', message, { 'accept-encoding': 'gzip' })
}

/** Reads a body that may be gzipped. Neither what is sent nor what it unpacks to may have more bytes. */
export const readUnpacked = async (request: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const zipped = isGzipped(request)
  const body = await readBody(request, maxBytes)
  if (!zipped) return body
  try {
    return await unpack(body, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw refuse(
        413,
        'body-too-large',
        `The body unpacks to more than ${maxBytes} bytes. Send less at once.`,
      )
    throw refuse(400, 'invalid-json', 'The body is not the gzip data that Content-Encoding says it is.')
  }
}

/** Whether a request's `Accept-Encoding` allows a coding, such as `gzip`. */
export const acceptsCoding = (header: string | undefined, coding: string): boolean =>
  (header ?? '').split(',').some((each) => {
    const [name, ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
