import { execFile } from 'node:child_process'
import { appendFileSync, chownSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Cluster } from './Cluster.js'
import { findOwner, findPostgres } from './findPostgres.js'
import { findPort } from '../fixtures/findPort.js'
import { buildKeepSynced, keepSyncedIn } from './keepSynced.js'
import { type NodeOptions, PostgresNode, type Settings } from './PostgresNode.js'

export interface ClusterOptions {
  /** How many copies the primary has, two by default. One of them must have what is acknowledged. */
  standbys?: number
  /** Settings of all servers, beside those that a cluster needs. */
  settings?: Settings
  /** What is synced is noted, so that `cutPower` can drop all else. Needs a C compiler. */
  keepSynced?: boolean
}

const run = promisify(execFile)

const settingsOf = (names: readonly string[], { name, port }: NodeOptions): Settings => ({
  listen_addresses: '127.0.0.1',
  port: String(port),
  unix_socket_directories: '',
  cluster_name: name,
  // Each of them may become the primary; none counts itself.
  synchronous_standby_names: names.length > 1 ? `ANY 1 (${names.join(', ')})` : '',
  wal_keep_size: '1GB',
  // How soon a standby looks for its primary again.
  wal_retrieve_retry_interval: '200ms',
})

/** Resolves once all servers run and commits of the primary wait for a standby. */
export const startCluster = async ({
  standbys = 2,
  settings = {},
  keepSynced = false,
}: ClusterOptions = {}): Promise<Cluster> => {
  const programs = findPostgres()
  const owner = findOwner()
  const folder = mkdtempSync(join(tmpdir(), 'waymark-cluster-'))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const library = keepSynced ? await buildKeepSynced(folder) : undefined
  const names = ['a', 'b', 'c'].slice(0, standbys + 1)
  const members: NodeOptions[] = []
  for (const name of names) {
    const env = library === undefined ? {} : keepSyncedIn(join(folder, `${name}.synced`), { library, owner })
    members.push({ name, port: await findPort(), folder: join(folder, name), programs, owner, env })
  }
  const nodes = members.map((each) => new PostgresNode(each, { ...settingsOf(names, each), ...settings }))
  const cluster = new Cluster(folder, nodes)

  const make = (at: NodeOptions, program: string, ...args: string[]) => {
    // What is put to a disk here need not survive anything, unless that is what is looked at.
    const flags = ['-D', at.folder, '-U', 'postgres', ...(keepSynced ? [] : ['-N']), ...args]
    const env = { ...process.env, ...at.env, LC_ALL: 'C' }
    return run(join(programs, program), flags, { ...owner, cwd: folder, env })
  }
  try {
    const [primary, ...others] = nodes as [PostgresNode, ...PostgresNode[]]
    // A segment of the log is copied whenever it is synced.
    const small = keepSynced ? ['--wal-segsize=1'] : []
    await make(members.at(0)!, 'initdb', '-A', 'trust', '-E', 'UTF8', '-k', ...small)
    appendFileSync(join(primary.folder, 'postgresql.conf'), `include = 'node.conf'\n`)
    await primary.configure({})
    await primary.start()
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-c', 'fast']
    await Promise.all(
      others.map(async (node, at) => {
        await make(members.at(at + 1)!, 'pg_basebackup', ...from)
        await node.follow(primary)
        await node.start()
      }),
    )
    await cluster.whenStreaming(standbys)
    return cluster
  } catch (error) {
    await cluster.close()
    throw error
  }
}
