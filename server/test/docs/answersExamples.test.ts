import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { seedShop } from '../fixtures/seedShop.js'
import { useService } from '../fixtures/useService.js'

const page = readFileSync(new URL('../../../docs/answers.md', import.meta.url), 'utf8')
const examples = [
  ...page.matchAll(/^### (?<title>.+)\n\n```sql\n(?<sql>[^]*?)\n```\n\n(?<table>(?:^\|.*\n)+)/gm),
].map(({ groups }) => groups as { title: string; sql: string; table: string })

const rowsOfTable = (table: string) =>
  table
    .trim()
    .split('\n')
    .filter((_, at) => at !== 1)
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )

const service = useService()
beforeAll(async () => {
  await seedShop(service, Date.UTC(2026, 9, 20, 12))
})

describe('docs/answers.md', () => {
  it('has a result below every numbered example', () => {
    const titles = [...page.matchAll(/^### (?<title>.+)$/gm)].map(({ groups }) => groups!['title'])
    expect(examples.map(({ title }) => title)).toEqual(titles)
    expect(titles.length).toBeGreaterThan(3)
  })

  it.each(examples)('shows what the query $title finds', async ({ sql, table }) => {
    const { error, columns, rows } = await service.query(sql)
    expect(error).toBeUndefined()
    const found = [
      columns.map(({ name }) => name),
      ...rows.map((row) => row.map((value) => String(value ?? ''))),
    ]
    expect(found).toEqual(rowsOfTable(table))
  })

  it('names every column of the views and every argument and column of the macros', async () => {
    const { rows: views } = await service.query(
      `SELECT column_name FROM information_schema.columns WHERE table_name IN ('sessions', 'all_sessions', 'page_views', 'errors')`,
    )
    const { rows: macros } = await service.query(
      `SELECT function_name, parameters FROM duckdb_functions()
       WHERE database_name = 'analytics' AND function_type = 'table_macro' AND NOT starts_with(function_name, 'duckdb_')`,
    )
    expect(macros.length).toBe(14)
    for (const [name] of views) expect(page).toContain(`\`${String(name)}\``)
    for (const [name, parameters] of macros as [string, string[]][]) {
      expect(page).toMatch(new RegExp(`\`${name}\\((?:${parameters.join(', ')}\\)|…\\))`))
    }
  })
})
