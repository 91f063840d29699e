import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../Logger.js'
import { OperatorError, reasonOf } from '../OperatorError.js'
import type { LogAddress, LogDurability } from '../options/values.js'
import { type OpenOptions, ServerConnection } from './ServerConnection.js'

interface PrimaryConnectionOptions extends OpenOptions {
  addresses: readonly LogAddress[]
  /**
   * Called with each new connection before it is used for anything else. When it rejects the connection is not
   * used. An OperatorError says that trying again will not help.
   */
  begin(connection: ServerConnection): Promise<void>
  /** Called when there is a connection again. */
  onUp?(): void
  logger: Logger
}

const firstMs = 10_000
const retryMs = { first: 100, most: 2000 }

/**
 * A server that was cut off from its standbys goes on answering after a failover to another one. So each connection
 * commits something every `confirmMs`, and is closed when no standby confirms it in time.
 */
const confirmMs = 5000

/**
 * Keeps a connection to the one of several servers that can be written to. The server that was used last
 * is tried first.
 *
 *   open → connecting → up → (closed) resting → connecting
 *   any of them → stopped
 */
export class PrimaryConnection {
  readonly #options: PrimaryConnectionOptions
  #addresses: readonly LogAddress[]
  #connection: ServerConnection | undefined
  #obstacle = 'no server has been reached yet'
  #isHopeless = false
  readonly #stopping = new AbortController()
  #connecting: Promise<void> | undefined

  constructor(options: PrimaryConnectionOptions) {
    this.#options = options
    this.#addresses = options.addresses
  }

  get connection(): ServerConnection | undefined {
    return this.#connection
  }

  /** Why there is no connection; undefined while there is one. */
  get obstacle(): string | undefined {
    return this.#connection === undefined ? this.#obstacle : undefined
  }

  /** Resolves once there is a connection, and rejects with the reason when there is none for ten seconds. */
  async start(): Promise<void> {
    const deadline = performance.now() + firstMs
    while (!(await this.#connect())) {
      if (this.#isHopeless || performance.now() > deadline) {
        throw new OperatorError(`The log in PostgreSQL cannot be used: ${this.#obstacle}.`)
      }
      await delay(retryMs.first)
    }
  }

  /** Connects in the background and tries for as long as it takes. */
  keep(): void {
    this.#connecting ??= this.#reconnect().finally(() => (this.#connecting = undefined))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#connecting
    this.#connection?.close('it is no longer needed')
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#stopping
    let restMs = retryMs.first
    while (!signal.aborted && !(await this.#connect())) {
      await delay(restMs, undefined, { signal }).catch(() => undefined)
      restMs = Math.min(2 * restMs, retryMs.most)
    }
  }

  async #connect(): Promise<boolean> {
    const reasons: string[] = []
    this.#isHopeless = false
    for (const address of this.#addresses) {
      if (this.#stopping.signal.aborted) return false
      try {
        const connection = await this.#open(address)
        if (this.#stopping.signal.aborted) {
          connection.close('it is no longer needed')
          return true
        }
        this.#use(connection)
        return true
      } catch (error) {
        reasons.push(`${address.name}: ${reasonOf(error)}`)
        this.#isHopeless ||= error instanceof OperatorError
      }
    }
    this.#noteObstacle(reasons.join('; '))
    return false
  }

  async #open(address: LogAddress): Promise<ServerConnection> {
    const { begin } = this.#options
    const connection = await ServerConnection.open(address, this.#options)
    try {
      const [found] = await connection.ask<{ transaction_read_only: string }>('SHOW transaction_read_only')
      if (found?.transaction_read_only !== 'off') throw new Error('it is a standby, or may only be read')
      await checkCommit(connection)
      await begin(connection)
      if (connection.closed !== undefined) throw new Error(connection.closed)
      return connection
    } catch (error) {
      connection.close(reasonOf(error))
      throw error
    }
  }

  #use(connection: ServerConnection): void {
    const { logger, applicationName, onUp } = this.#options
    const { address } = connection
    this.#connection = connection
    this.#addresses = [address, ...this.#addresses.filter((each) => each !== address)]
    const confirm = () => {
      checkCommit(connection).catch((error: unknown) => connection.close(reasonOf(error)))
    }
    const confirming = setInterval(confirm, confirmMs).unref()
    connection.once('closed', (reason) => {
      clearInterval(confirming)
      this.#connection = undefined
      if (this.#stopping.signal.aborted) return
      this.#noteObstacle(`${address.name}: ${reason}`)
      this.keep()
    })
    this.#obstacle = ''
    logger.info('Connected to the log in PostgreSQL.', { connection: applicationName, server: address.name })
    onUp?.()
  }

  /** Logs why there is no connection. A reason that stays is logged once. */
  #noteObstacle(reason: string): void {
    const { logger, applicationName } = this.#options
    if (reason === this.#obstacle) return
    this.#obstacle = reason
    logger.warn('There is no connection to the log in PostgreSQL.', { connection: applicationName, reason })
  }
}

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
const checkCommit = async (connection: ServerConnection): Promise<void> => {
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
