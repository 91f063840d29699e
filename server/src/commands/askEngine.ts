import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as ask } from 'node:http'
import { text } from 'node:stream/consumers'
import { OperatorError } from '../OperatorError.js'

export interface Asked {
  request: ClientRequest
  answer: IncomingMessage
}

/**
 * Sends a request to the engine that listens on a socket; undefined when none does. The body of a POST stays open.
 * Rejects with the engine's own message when the engine refuses.
 */
export const askEngine = async (
  socketPath: string,
  method: 'GET' | 'POST',
  path: string,
): Promise<Asked | undefined> => {
  const request = ask({ socketPath, method, path, agent: false })
  request.flushHeaders()
  if (method === 'GET') request.end()
  let answer: IncomingMessage
  try {
    ;[answer] = (await once(request, 'response')) as [IncomingMessage]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined
    throw error
  }
  // The request may fail while nobody reads its answer, and an unheard error would end this process.
  request.on('error', () => undefined)
  if (answer.statusCode === 200) return { request, answer }
  const { message } = JSON.parse(await text(answer)) as { message: string }
  throw new OperatorError(message)
}
