import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { PostgresNode } from './PostgresNode.js'

const waitMs = 60_000

/** How far a standby has got, once nothing more comes to it from elsewhere or from its own disk. */
const receivedOf = async (node: PostgresNode): Promise<{ node: PostgresNode; received: bigint }> => {
  let before: bigint | undefined
  for (;;) {
    const { received: text, receiving } = await node.one<{ received: string; receiving: boolean }>(
      `SELECT (greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0')::text AS received,
              EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming') AS receiving`,
    )
    const received = BigInt(text)
    if (!receiving && received === before) return { node, received }
    before = received
    await delay(100)
  }
}

/** A primary and its standbys on loopback, in a folder of their own. */
export class Cluster {
  readonly nodes: readonly PostgresNode[]
  readonly #folder: string
  #primary: PostgresNode
  readonly #killAll = () => this.nodes.map((node) => node.kill())

  constructor(folder: string, nodes: readonly PostgresNode[]) {
    this.#folder = folder
    this.nodes = nodes
    this.#primary = nodes.at(0)!
    process.once('exit', this.#killAll)
  }

  get primary(): PostgresNode {
    return this.#primary
  }

  get standbys(): PostgresNode[] {
    return this.nodes.filter((node) => node !== this.#primary)
  }

  /** For `--log`: it names all servers. */
  get url(): string {
    const hosts = this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
    return `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`
  }

  /** Resolves once so many standbys get what the primary writes as it is written. */
  async whenStreaming(count: number): Promise<void> {
    const endMs = performance.now() + waitMs
    for (;;) {
      const { count: found } = await this.#primary.one<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_replication WHERE state = 'streaming'`,
      )
      if (found >= count) return
      if (performance.now() > endMs) throw new Error(`Only ${found} of ${count} standbys follow the primary.`)
      await delay(50)
    }
  }

  /**
   * What an operator's tool does once the primary is gone: promotes the standby that has received most,
   * and lets the others follow it. All standbys must be there: of a part of them nobody could say which
   * one has what was acknowledged.
   */
  async failOver(): Promise<void> {
    const candidates = await Promise.all(this.standbys.map(receivedOf))
    candidates.sort((a, b) => Number(b.received - a.received))
    const next = candidates.at(0)!.node
    await next.promote()
    const others = candidates.slice(1)
    this.#primary = next
    for (const { node } of others) await node.follow(next)
  }

  /** Ends all servers and removes their folder. */
  async close(): Promise<void> {
    process.off('exit', this.#killAll)
    await Promise.all(this.#killAll())
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
