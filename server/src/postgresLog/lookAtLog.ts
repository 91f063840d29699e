import type { Logger } from '../Logger.js'
import type { LogIdentity } from '../wal/LogStore.js'
import { type Bounds, readBounds } from './findLoss.js'
import { identifyLog } from './logSchema.js'
import { PrimaryConnection } from './PrimaryConnection.js'
import { addressesOf } from './readLogUrl.js'

/** Reads which log a database has, and between which rows; rejects when it cannot be reached. */
export const lookAtLog = async (url: string, logger: Logger): Promise<LogIdentity & Bounds> => {
  let found: (LogIdentity & Bounds) | undefined
  const primary = new PrimaryConnection({
    addresses: addressesOf(url),
    applicationName: 'waymark start',
    begin: async (connection) => {
      found = { ...(await identifyLog(connection, undefined)), ...(await readBounds(connection)) }
    },
    logger,
  })
  try {
    await primary.start()
  } finally {
    await primary.stop()
  }
  return found!
}
