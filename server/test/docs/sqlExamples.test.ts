import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { seedShop } from '../fixtures/seedShop.js'
import { useService } from '../fixtures/useService.js'

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')
const page = read('sql.md')
const examples = [...page.matchAll(/^### (?<title>.+)\n\n```sql\n(?<sql>[^]*?)\n```$/gm)].map(
  ({ groups }) => groups as { title: string; sql: string },
)

const hourMs = 3_600_000
/** The last 6 or 18 o'clock in UTC: an hour of 0, as after a midnight in Berlin, would be taken for no value. */
const seenMs = Math.floor((Date.now() - 6.2 * hourMs) / (12 * hourMs)) * 12 * hourMs + 6 * hourMs

const service = useService()
beforeAll(async () => {
  // Its last events are an hour older.
  await seedShop(service, seenMs + hourMs)
})

describe('docs/sql.md', () => {
  it('has five numbered queries', () => {
    expect(examples.map(({ title }) => Number.parseInt(title, 10))).toEqual(
      Array.from({ length: 5 }, (_, at) => at + 1),
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
