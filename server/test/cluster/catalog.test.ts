import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shapes } from '../../src/postgres/catalog/shapes.js'
import { createService, type Service } from '../fixtures/createService.js'
import type { Cluster } from './Cluster.js'
import { startCluster } from './startCluster.js'

let cluster: Cluster
let service: Service
let client: pg.Client
beforeAll(async () => {
  ;[cluster, service] = await Promise.all([startCluster({ standbys: 0 }), createService({ postgresPort: 0 })])
  const { postgresPort: port } = service
  client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'ada',
    password: 'lovelace',
    database: 'lakehouse',
  })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await Promise.all([service.close(), cluster.close()])
})

it('each relation of the catalog has the columns of a real PostgreSQL’s, by name, type and order', async () => {
  const real = await cluster.primary.query<{ relation: string; columns: string }>(`
    SELECT n.nspname || '.' || c.relname AS relation,
      string_agg(a.attname || ' ' || coalesce(nullif(t.typbasetype, 0), t.oid), ', ' ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
    WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v') AND a.attnum > 0
    GROUP BY n.nspname, c.relname ORDER BY relation`)
  // The rows of another relation, as a type; the service shows none of them, and says that they are texts.
  const wanted = real.map(({ relation, columns }) =>
    `${relation}: ${columns}`.replace(/stxdexpr \d+/, 'stxdexpr 25'),
  )
  const found: string[] = []
  for (const { relation } of real) {
    const { fields } = await client.query(`SELECT * FROM ${relation} LIMIT 0`)
    found.push(`${relation}: ${fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`).join(', ')}`)
  }
  expect(found).toEqual(wanted)
  expect([...shapes].length).toBe(real.length)
})
