import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

/* Tools that were not to be had, by statements like theirs. Those that were run in the step `clients`. */

const folder = new URL('../clients/', import.meta.url)
let service: Service
beforeAll(async () => {
  service = await createService({ postgresPort: 0 })
  for (const statement of readFileSync(new URL('orders.sql', folder), 'utf8').split(';\n'))
    await service.query(statement)
  await service.ingest(
    '/track?sync=true',
    event('Signed Up', { distinct_id: 'u1', properties: { plan: 'pro' } }),
  )
})
afterAll(() => service.close())

it.each(['metabase', 'grafana', 'power-bi', 'tableau', 'duckdb', 'dbeaver', 'people'])(
  '%s gets what it asks for',
  async (name) => {
    const script = fileURLToPath(new URL('byStatements.mjs', folder))
    const env = { ...process.env, WAYMARK_PORT: String(service.postgresPort) }
    const { stdout } = await promisify(execFile)(process.execPath, [script, name], { env })
    const lines = stdout.trim().split('\n')
    expect(lines.filter((line) => !line.startsWith('+ '))).toEqual([])
    expect(lines.length).toBeGreaterThan(7)
  },
)
