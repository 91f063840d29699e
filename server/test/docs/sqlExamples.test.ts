import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { seedShop } from '../fixtures/seedShop.js'

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')
const page = read('sql.md')
const examples = [...page.matchAll(/^### (?<title>.+)\n\n```sql\n(?<sql>[^]*?)\n```$/gm)].map(
  ({ groups }) => groups as { title: string; sql: string },
)

let service: Service
beforeAll(async () => {
  service = await createService()
  await seedShop(service)
})
afterAll(() => service.close())

describe('docs/sql.md', () => {
  it('has twenty numbered queries', () => {
    expect(examples.map(({ title }) => Number.parseInt(title, 10))).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 1),
    )
  })

  it.each(examples)('runs the query $title, which finds something in every column', async ({ sql }) => {
    const { status, error, columns, rows } = await service.query(sql, { timezone: 'Europe/Berlin' })
    expect(error).toBeUndefined()
    expect(status).toBe(200)
    for (const [at, { name }] of columns.entries()) {
      const found = rows.filter((row) => row[at] !== null && row[at] !== 0)
      expect(found.length, `rows with a value in ${name}`).toBeGreaterThan(0)
    }
  })

  it('names every column of every view, or docs/answers.md does', async () => {
    const pages = page + read('answers.md')
    const { rows } = await service.query(
      `SELECT table_name, column_name FROM information_schema.columns WHERE table_catalog = 'analytics'`,
    )
    expect(rows.length).toBeGreaterThan(30)
    for (const [view, column] of rows) {
      expect(pages, `${String(view)}.${String(column)}`).toContain(`\`${String(column)}\``)
    }
  })
})
