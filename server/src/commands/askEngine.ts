import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as ask } from 'node:http'
import { text } from 'node:stream/consumers'
import { OperatorError } from '../OperatorError.js'

export interface Asked {
  request: ClientRequest
  answer: IncomingMessage
}

/**
 * Asks the engine that listens on a socket; undefined where none does. The request's body stays open.
 * Rejects with what the engine says when it refuses.
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
  // It may end while nothing of it is being read.
  request.on('error', () => undefined)
  if (answer.statusCode === 200) return { request, answer }
  const { message } = JSON.parse(await text(answer)) as { message: string }
  throw new OperatorError(message)
}
