import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import type { Cluster } from './Cluster.js'
import { startCluster } from './startCluster.js'

/*
 * What tools have sent to a PostgreSQL 15, a statement a line, with the values of its parameters behind a tab. Each is
 * asked here of such a server and of the service: both succeed or fail, with the same columns of the same types.
 */
const folder = new URL('../clients/recorded/', import.meta.url)

/** How the service differs, with the reason. A difference that is there no more fails the test, too. */
const differences: readonly [reason: string, ...places: string[]][] = []

const tables = [
  'CREATE TABLE orders (id INTEGER PRIMARY KEY, total DECIMAL(10, 2) NOT NULL, tags TEXT[], note TEXT)',
  'CREATE TABLE lines (nr INTEGER, of_order INTEGER REFERENCES orders (id), CHECK (nr > 0))',
  `COMMENT ON TABLE orders IS 'What was sold'`,
  `COMMENT ON COLUMN orders.note IS 'What was said'`,
]

let cluster: Cluster
let service: Service
const clients: pg.Client[] = []
const connect = async (config: pg.ClientConfig) => {
  const client = new pg.Client({ host: '127.0.0.1', database: 'lakehouse', ...config })
  await client.connect()
  clients.push(client)
  return client
}
beforeAll(async () => {
  ;[cluster, service] = await Promise.all([startCluster({ standbys: 0 }), createService({ postgresPort: 0 })])
  const { primary } = cluster
  await primary.query('CREATE DATABASE lakehouse')
  for (const statement of [
    'CREATE SCHEMA main',
    'CREATE SCHEMA analytics',
    'ALTER DATABASE lakehouse SET search_path = main, analytics',
  ])
    await primary.query(statement, [], 'lakehouse')
  const real = await connect({ port: primary.port, user: 'postgres' })
  for (const statement of tables) {
    await real.query(statement)
    await service.query(statement)
  }
  await real.query('CREATE VIEW analytics.events AS SELECT 1 AS id')
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()))
  await Promise.all([service.close(), cluster.close()])
})

const types = { getTypeParser: () => (text: string) => text }

const ask = async (client: pg.Client, line: string): Promise<string[]> => {
  const [text = '', values = '[]'] = line.split('\t')
  try {
    const query = { text, values: JSON.parse(values) as string[], rowMode: 'array', types }
    const answers = [await client.query(query as unknown as pg.QueryArrayConfig)].flat()
    return answers.at(-1)!.fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`)
  } catch (error) {
    return [`fails ${(error as pg.DatabaseError).code}`]
  }
}

const tools = readdirSync(folder).map((file) => file.replace('.txt', ''))

it.each(tools)('what %s sends is answered as a real PostgreSQL answers it', async (tool) => {
  const real = await connect({ port: cluster.primary.port, user: 'postgres' })
  const own = await connect({ port: service.postgresPort, user: 'ada', password: 'lovelace' })
  const lines = readFileSync(new URL(`${tool}.txt`, folder), 'utf8')
    .trim()
    .split('\n')
  const found: string[] = []
  for (const [at, line] of lines.entries()) {
    const [wanted, given] = [await ask(real, line), await ask(own, line)]
    const differing = given.filter((field, column) => field !== wanted[column])
    if (differing.length > 0 || given.length !== wanted.length)
      found.push(`${tool} ${at + 1}: ${differing.join(', ')}`)
  }
  const expected = differences.flatMap(([, ...places]) => places)
  expect(found.toSorted()).toEqual(expected.filter((place) => place.startsWith(`${tool} `)).toSorted())
})
