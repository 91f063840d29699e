import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { lockKeys } from '../../src/cluster/logSchema.js'
import type { LogDatabase } from './createDatabase.js'

/** The inode of the socket with a local port. */
const inodeOf = (port: number): string | undefined => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const lines = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1)
  const fields = lines.map((line) => line.trim().split(/\s+/))
  return fields.find(([, local, , state]) => local?.endsWith(`:${hex}`) && state === '01')?.at(9)
}

const hasSocket = (pid: number, inode: string): boolean => {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((fd) => {
      try {
        return readlinkSync(`${folder}/${fd}`) === `socket:[${inode}]`
      } catch {
        return false
      }
    })
  } catch {
    return false
  }
}

/** Which of some processes archives: the one whose connection holds the lock; undefined while none does. */
export const holderOf = async (
  database: LogDatabase,
  pids: readonly (number | undefined)[],
): Promise<number | undefined> => {
  const [held] = await database.query<{ port: number }>(
    `SELECT client_port AS port FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE locktype = 'advisory' AND objid = $1::bigint::oid AND granted AND datname = current_database()
       AND application_name = 'waymark archive'`,
    [lockKeys.archive],
  )
  const inode = held && inodeOf(held.port)
  return inode === undefined ? undefined : pids.find((pid) => pid !== undefined && hasSocket(pid, inode))
}
