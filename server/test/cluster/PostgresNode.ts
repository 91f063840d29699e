import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import type { Owner } from './findPostgres.js'
import { dropUnsynced } from './keepSynced.js'
import { killFamily, signalFamily } from './processFamily.js'

export type Settings = Record<string, string>

export interface NodeOptions {
  /** What `synchronous_standby_names` calls it. */
  name: string
  port: number
  /** The data folder. */
  folder: string
  /** Where the server's programs are. */
  programs: string
  owner: Owner | undefined
  /** Further variables of its environment. */
  env: Record<string, string>
}

const startMs = 60_000

/** One PostgreSQL server, started and ended as an operator or an accident would. */
export class PostgresNode {
  readonly name: string
  readonly port: number
  readonly folder: string
  readonly #options: NodeOptions
  #settings: Settings
  #process: ChildProcess | undefined
  #ended: Promise<unknown> = Promise.resolve()

  constructor(options: NodeOptions, settings: Settings) {
    this.#options = options
    this.name = options.name
    this.port = options.port
    this.folder = options.folder
    this.#settings = settings
  }

  /** The id of the server's first process, whose children are the others; undefined while the server is down. */
  get pid(): number | undefined {
    return this.#process?.pid
  }

  /** What the server has written to its log. */
  get log(): string {
    return readFileSync(this.#logFile, 'utf8')
  }

  get #logFile(): string {
    return `${this.folder}.log`
  }

  /** Changes settings. Of a server that runs it resolves once they are in force. */
  async configure(changes: Settings): Promise<void> {
    this.#settings = { ...this.#settings, ...changes }
    const lines = Object.entries(this.#settings).map(
      ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
    )
    writeFileSync(join(this.folder, 'node.conf'), lines.join(''), { mode: 0o644 })
    if (this.#process === undefined) return
    this.#process.kill('SIGHUP')
    const [names, values] = [Object.keys(changes), Object.values(changes)]
    const inForce = `SELECT bool_and(current_setting(name) = value) AS all FROM unnest($1::text[], $2::text[]) AS changed (name, value)`
    while (!(await this.one<{ all: boolean }>(inForce, [names, values])).all) await delay(20)
  }

  /** Makes it a standby of another server: from its next start or, if it is one already, from now on. */
  async follow(primary: PostgresNode): Promise<void> {
    const { owner } = this.#options
    const signal = join(this.folder, 'standby.signal')
    writeFileSync(signal, '')
    if (owner) chownSync(signal, owner.uid, owner.gid)
    const from = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${this.name}`
    await this.configure({ primary_conninfo: from })
  }

  /** Resolves once it answers. */
  async start(): Promise<void> {
    const { programs, owner, env } = this.#options
    const log = openSync(this.#logFile, 'a')
    const child = spawn(join(programs, 'postgres'), ['-D', this.folder], {
      ...owner,
      cwd: this.folder,
      env: { ...process.env, ...env, LC_ALL: 'C' },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    this.#process = child
    this.#ended = new Promise((resolve) => {
      child.once('close', () => {
        this.#process = undefined
        resolve(undefined)
      })
    })
    const endMs = performance.now() + startMs
    while (!(await this.#answers())) {
      if (this.#process === undefined || performance.now() > endMs)
        throw new Error(`The PostgreSQL server ${this.name} does not start:\n${this.log.slice(-2000)}`)
      await delay(50)
    }
  }

  /** Stops it in order: what is under way is ended, and standbys get all that there is. */
  stop(): Promise<unknown> {
    return this.#endBy('SIGINT')
  }

  /** Stops it as `pg_ctl stop -m immediate` does: no checkpoint, and a recovery at the next start. */
  stopAtOnce(): Promise<unknown> {
    return this.#endBy('SIGQUIT')
  }

  /** `kill -9` of all its processes at one moment; resolves once all of them have ended. */
  async kill(): Promise<void> {
    if (this.pid !== undefined) await killFamily(this.pid)
    await this.#ended
  }

  /** The power goes: `kill`, and what was not synced is gone. Needs `keepSynced`. Gives how many files changed. */
  async cutPower(): Promise<number> {
    await this.kill()
    return dropUnsynced(this.folder, this.#options.env)
  }

  /** Stops all its processes where they are: connections stay open, and nothing answers. */
  pause(): void {
    this.#signal('SIGSTOP')
  }

  resume(): void {
    this.#signal('SIGCONT')
  }

  /** Makes a standby the primary, as an operator's tool does. */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true, 60)')
  }

  /** Runs one statement on a connection of its own. */
  async query<Row extends Record<string, unknown>>(
    text: string,
    values: unknown[] = [],
    database?: string,
  ): Promise<Row[]> {
    const client = await this.connect(database)
    try {
      const { rows } = await client.query<Row>(text, values)
      return rows
    } finally {
      await client.end()
    }
  }

  /** The one row of a statement. */
  async one<Row extends Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row> {
    return (await this.query<Row>(text, values)).at(0)!
  }

  async connect(database = 'postgres'): Promise<Client> {
    const client = new Client({ host: '127.0.0.1', port: this.port, user: 'postgres', database })
    // A server that is killed ends the connection; the query that waits for it says so.
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  async #answers(): Promise<boolean> {
    try {
      await this.query('SELECT 1')
      return true
    } catch {
      return false
    }
  }

  #endBy(signal: NodeJS.Signals): Promise<unknown> {
    this.#process?.kill(signal)
    return this.#ended
  }

  #signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.pid !== undefined) signalFamily(this.pid, signal)
  }
}
