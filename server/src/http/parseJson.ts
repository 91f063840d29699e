import { isUtf8 } from 'node:buffer'
import { Refusal } from './Refusal.js'

export interface JsonBody {
  /** As sent, without a byte order mark. */
  bytes: Buffer
  text: string
  value: unknown
}

/** A byte order mark is no JSON; some clients send it all the same. */
const withoutMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body

/** The body as text and value; a refusal says where it stopped being JSON. */
export const parseJson = (body: Buffer): JsonBody => {
  const bytes = withoutMark(body)
  if (bytes.length === 0) {
    throw new Refusal(400, { error: 'invalid-json', message: 'The body is empty. Send JSON.' })
  }
  if (!isUtf8(bytes)) {
    throw new Refusal(400, { error: 'invalid-json', message: 'The body is not valid UTF-8.' })
  }
  const text = bytes.toString('utf8')
  try {
    return { bytes, text, value: JSON.parse(text) as unknown }
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unreadable'
    throw new Refusal(400, { error: 'invalid-json', message: `The body is not JSON: ${reason}` })
  }
}
