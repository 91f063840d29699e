import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { clientPatienceMs } from '../http/clientPatience.js'

/** Writes, and waits while the client is slower than the query. False once the client has gone. */
export const writeLines = async (response: ServerResponse, lines: string | Buffer): Promise<boolean> => {
  if (response.destroyed) return false
  if (response.write(lines)) return true
  const gone = new AbortController()
  const leave = () => gone.abort()
  const timer = setTimeout(leave, clientPatienceMs)
  response.once('close', leave)
  try {
    await once(response, 'drain', { signal: gone.signal })
    return true
  } catch {
    response.destroy()
    return false
  } finally {
    clearTimeout(timer)
    response.off('close', leave)
  }
}
