import type { LogDurability } from '../../options/readLogUrl.js'
import { OperatorError } from '../../OperatorError.js'
import type { ServerConnection } from './ServerConnection.js'

/** The SQL condition that the server's settings give this durability. */
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
  /** `state` and `sync` are null when the user may not see them. */
  standbys: { name: string; state: string | null; sync: string | null }[]
}

const find = `
SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_standby_names') AS names, current_user AS user,
  (SELECT coalesce(json_agg(json_build_object('name', application_name, 'state', state, 'sync', sync_state)), '[]')
   FROM pg_stat_replication) AS standbys`

const isWaitedFor = ({ state, sync }: Found['standbys'][number]) =>
  state === 'streaming' && (sync === 'sync' || sync === 'quorum')

/** Says why a commit would wait for standbys without end; undefined when it would not, or the user may not see it. */
const findLonely = ({ names, standbys }: Found): string | undefined => {
  const mayFollow = standbys.some((each) => each.state === null || isWaitedFor(each))
  if (names === '' || mayFollow) return undefined
  const list = standbys.map(({ name, state, sync }) => `${name} ${state} ${sync}`).join(', ')
  return `none of its standbys follows that a commit waits for (synchronous_standby_names is '${names}', pg_stat_replication has ${list || 'none'})`
}

/**
 * Rejects unless the server commits something and its standbys confirm that. A server that has lost its standbys is not
 * given the commit: a commit that waits for a standby goes on waiting when its client has gone.
 */
export const checkCommit = async (connection: ServerConnection): Promise<void> => {
  const [found] = await connection.ask<Found>(find)
  const lonely = findLonely(found!)
  if (lonely !== undefined) throw new Error(lonely)
  await connection.ask(
    "BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_logical_emit_message(true, 'waymark', ''); COMMIT",
  )
}

/**
 * Resolves to the number of standbys of which a commit waits for some. Rejects, with what to do, when this server
 * would acknowledge commits that no other server has.
 */
export const checkDurability = async (
  connection: ServerConnection,
  durability: LogDurability,
): Promise<number> => {
  const [found] = await connection.ask<Found>(find)
  const { fsync, full_page_writes, names, user, standbys } = found!
  if (fsync !== 'on') throw new OperatorError('it acknowledges what its disk may not have: set fsync = on')
  if (full_page_writes !== 'on')
    throw new OperatorError(
      'a crash of its machine can spoil what it has acknowledged: set full_page_writes = on',
    )
  const waitedFor = standbys.filter(isWaitedFor).length
  if (durability === 'local' || waitedFor > 0) return waitedFor
  if (names === '') {
    throw new OperatorError(
      "it acknowledges what no standby has: set synchronous_standby_names, such as 'ANY 1 (db1, db2, db3)' on each of the three, or start with --log-durability local",
    )
  }
  const lonely = findLonely(found!)
  if (lonely !== undefined) throw new Error(lonely)
  throw new OperatorError(
    `${user} may not see whether its standbys follow: GRANT pg_read_all_stats TO ${user}`,
  )
}
