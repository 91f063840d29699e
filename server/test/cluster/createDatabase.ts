import type { PostgresNode } from './PostgresNode.js'

let made = 0

/** A database of its own on a server, and so a log of its own. */
export const createDatabase = async (node: PostgresNode) => {
  const name = `log_${made++}`
  await node.query(`CREATE DATABASE ${name}`)
  const url = `postgres://postgres@127.0.0.1:${node.port}/${name}`
  return {
    url,
    /** Runs one statement in it. */
    query: <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
      node.query<Row>(text, values, name),
    /** Ends all connections to it but the one that asks. */
    cutConnections: () =>
      node.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
        [name],
      ),
  }
}

export type LogDatabase = Awaited<ReturnType<typeof createDatabase>>
