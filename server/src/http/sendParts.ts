import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Sends the parts that a generator gives; a client that leaves is no error. It always waits for the generator to end:
 * a stream can end while the next part is still being made, and DuckDB does not survive a connection that is closed
 * during a statement.
 */
export const sendParts = async (
  parts: AsyncGenerator<string | Buffer>,
  response: ServerResponse,
): Promise<void> => {
  try {
    await pipeline(Readable.from(parts), response)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  } finally {
    await parts.return(undefined)
  }
}
