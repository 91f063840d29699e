import { StoreError } from '../../store/StoreError.js'
import type { ServerConnection } from './ServerConnection.js'

/** What a commit must be on before it is acknowledged: disks of several servers, or that of one. */
export type LogDurability = 'quorum' | 'local'
export const logDurabilities: readonly LogDurability[] = ['quorum', 'local']

/** As SQL, for the statement that a commit depends on. */
export const holdsDurability = (durability: LogDurability): string =>
  [
    "current_setting('fsync') = 'on'",
    "current_setting('full_page_writes') = 'on'",
    "current_setting('synchronous_commit') IN ('on', 'remote_apply')",
    ...(durability === 'quorum' ? ["current_setting('synchronous_standby_names') <> ''"] : []),
  ].join(' AND ')

interface Found {
  fsync: string
  full_page_writes: string
  names: string
  user: string
  /** Null where the user may not see it. */
  standbys: { name: string; state: string | null; sync: string | null }[]
}

const find = `
SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_standby_names') AS names, current_user AS user,
  (SELECT coalesce(json_agg(json_build_object('name', application_name, 'state', state, 'sync', sync_state)), '[]')
   FROM pg_stat_replication) AS standbys`

const isWaitedFor = ({ state, sync }: Found['standbys'][number]) =>
  state === 'streaming' && (sync === 'sync' || sync === 'quorum')

/**
 * The number of standbys of which a commit waits for some. Rejects, with what to do, when this server
 * would acknowledge what others do not have.
 */
export const checkDurability = async (
  connection: ServerConnection,
  durability: LogDurability,
): Promise<number> => {
  const [found] = await connection.ask<Found>(find)
  const { fsync, full_page_writes, names, user, standbys } = found!
  if (fsync !== 'on') throw new StoreError('it acknowledges what its disk may not have: set fsync = on')
  if (full_page_writes !== 'on')
    throw new StoreError(
      'a crash of its machine can spoil what it has acknowledged: set full_page_writes = on',
    )
  const waitedFor = standbys.filter(isWaitedFor).length
  if (durability === 'local' || waitedFor > 0) return waitedFor
  if (names === '') {
    throw new StoreError(
      "it acknowledges what no standby has: set synchronous_standby_names, such as 'ANY 1 (a, b)', or start with --log-durability local",
    )
  }
  if (standbys.some(({ state }) => state === null)) {
    throw new StoreError(
      `${user} may not see whether its standbys follow: GRANT pg_read_all_stats TO ${user}`,
    )
  }
  const list = standbys.map(({ name, state, sync }) => `${name} ${state} ${sync}`).join(', ')
  throw new Error(
    `none of its standbys follows that a commit waits for (synchronous_standby_names is '${names}', pg_stat_replication has ${list || 'none'})`,
  )
}
