import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DaySalt } from '../../src/analytics/DaySalt.js'
import { Logger } from '../../src/Logger.js'
import { LogAppender } from '../../src/cluster/log/LogAppender.js'
import { addressesOf } from '../../src/options/values.js'
import { saltInLog } from '../../src/cluster/logSchema.js'
import type { Cluster } from './Cluster.js'
import type { PostgresNode } from './PostgresNode.js'
import { createDatabase } from './createDatabase.js'
import { startCluster } from './startCluster.js'

const logger = new Logger('silent')
const noon = Date.UTC(2026, 0, 1, 12)
let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster({ standbys: 1 })
})
afterAll(() => cluster.close())

/** The files of a server that hold these bytes. */
const filesWith = (node: PostgresNode, bytes: Buffer) =>
  readdirSync(node.folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(node.folder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(bytes))

it('is one for all processes of a log, on the primary alone, and gone when the day is over', async () => {
  const database = await createDatabase(cluster.primary)
  let now = noon
  const open = async () => {
    const appender = new LogAppender({ addresses: addressesOf(database.url), durability: 'quorum', logger })
    await appender.start()
    return {
      appender,
      salt: new DaySalt(
        saltInLog(() => appender.connection),
        logger,
        () => now,
      ),
    }
  }
  const [one, other] = [await open(), await open()]
  try {
    const ids = await Promise.all([one.salt.idOf(['a']), other.salt.idOf(['a'])])
    expect(ids[0]).toBe(ids[1])
    const [kept] = await database.query<{ salt: Buffer }>('SELECT salt FROM waymark.day_salt')
    const salt = kept?.salt ?? Buffer.of()
    expect(salt).toHaveLength(32)
    const standby = cluster.standbys.at(0)!
    await cluster.primary.query('CHECKPOINT')
    expect(filesWith(standby, salt)).toEqual([])
    // The search finds what is there: the row of another table.
    const [head] = await database.query<{ secret: string }>('SELECT secret FROM waymark.head')
    for (const node of cluster.nodes)
      expect(filesWith(node, Buffer.from(head?.secret ?? '?')).length).toBeGreaterThan(0)

    now += 86_400_000
    await one.salt.forget()
    expect(await database.query('SELECT FROM waymark.day_salt')).toEqual([])
    const next = await Promise.all([one.salt.idOf(['a']), other.salt.idOf(['a'])])
    expect(next[0]).toBe(next[1])
    expect(next[0]).not.toBe(ids[0])
    await cluster.primary.query('CHECKPOINT')
    expect(filesWith(cluster.primary, salt)).toEqual([])
  } finally {
    await one.appender.stop()
    await other.appender.stop()
  }
})
