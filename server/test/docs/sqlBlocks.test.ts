import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { useService } from '../fixtures/useService.js'

const root = new URL('../../../', import.meta.url)
/** These have tests of their own, which look at what their queries find. */
const others = ['sql.md', 'answers.md']
const pages = [
  'README.md',
  ...readdirSync(new URL('docs/', root))
    .filter((name) => name.endsWith('.md') && !others.includes(name))
    .map((name) => `docs/${name}`),
]

const statements = pages.flatMap((page) => {
  const text = readFileSync(new URL(page, root), 'utf8')
  const found = [
    ...[...text.matchAll(/^```sql\n([^]*?)^```$/gm)].map(([, sql]) => (sql ?? '').trim()),
    ...[...text.matchAll(/-d '(\{"statement":[^']*\})'/g)].map(
      ([, json]) => (JSON.parse(json ?? '') as { statement: string }).statement,
    ),
  ]
  return found.map((sql) => ({ page, sql }))
})

const service = useService()

it('the docs have SQL besides docs/sql.md', () => expect(statements.length).toBeGreaterThan(3))

it.each(statements)('runs the SQL of $page: $sql', async ({ sql }) => {
  const { status, error } = await service.query(sql)
  expect(error).toBeUndefined()
  expect(status).toBe(200)
})
