import { isUtf8 } from 'node:buffer'
import { Refusal } from './Refusal.js'

export interface JsonBody {
  text: string
  value: unknown
}

/** The body as text and value; a refusal says where it stopped being JSON. */
export const parseJson = (body: Buffer): JsonBody => {
  if (body.length === 0) {
    throw new Refusal(400, { error: 'invalid-json', message: 'The body is empty. Send JSON.' })
  }
  if (!isUtf8(body)) {
    throw new Refusal(400, { error: 'invalid-json', message: 'The body is not valid UTF-8.' })
  }
  // A byte order mark is no JSON; some clients send it all the same.
  const text = body.toString('utf8').replace(/^\uFEFF/, '')
  try {
    return { text, value: JSON.parse(text) as unknown }
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unreadable'
    throw new Refusal(400, { error: 'invalid-json', message: `The body is not JSON: ${reason}` })
  }
}
