import { describe, expect, it } from 'vitest'
import { createUploads } from '../fixtures/createUploads.js'
import { useService } from '../fixtures/useService.js'

const maxColumns = 20
const service = useService({ maxColumns })
const { send, upload } = createUploads(() => service)

const record = (count: number, prefix = 'f') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, n]))
const append = async (table: string, body: unknown) =>
  (await send(`/append?catalog=lakehouse&schema=main&table=${table}&sync=true`, JSON.stringify(body))).body
const columnsOf = async (table: string) =>
  (await service.query(`SELECT count(*) FROM duckdb_columns() WHERE table_name = '${table}'`)).rows[0]?.[0]
const tooWide = (columns: number) =>
  expect.stringContaining(`would have ${columns} columns, and a table that gets new ones has at most 20`)

describe('a record with many fields', () => {
  it('makes a table of as many columns as are allowed, and no more', async () => {
    expect(await append('fits', record(20))).toMatchObject({ ok: true })
    expect(await append('wide', record(21))).toMatchObject({
      ok: false,
      error_code: 'incompatible-schema',
      error_message: tooWide(21),
    })
    expect([await columnsOf('fits'), await columnsOf('wide')]).toEqual([20, 0])
  })

  it('adds columns up to the limit, whatever the request before it has added', async () => {
    await append('grows', record(15))
    expect(await append('grows', record(6, 'g'))).toMatchObject({ error_message: tooWide(21) })
    expect(await append('grows', record(5, 'g'))).toMatchObject({ ok: true })
    expect(await append('grows', { f0: 7 })).toMatchObject({ ok: true })
    expect(await columnsOf('grows')).toBe(20)
  })

  it('goes into a table that was made wider by SQL, as long as it adds nothing', async () => {
    const names = Object.keys(record(30))
    await service.query(`CREATE TABLE by_sql (${names.map((name) => `${name} BIGINT`).join(', ')})`)
    expect(await append('by_sql', record(30))).toMatchObject({ ok: true })
    expect(await append('by_sql', { more: 1 })).toMatchObject({ error_message: tooWide(31) })
  })
})

describe('a file with many columns', () => {
  const files = {
    csv: (count: number) => `${Object.keys(record(count)).join(',')}\n${'1,'.repeat(count - 1)}1\n`,
    json: (count: number) => JSON.stringify([record(count)]),
  }
  it.each(['csv', 'json'] as const)('makes a table only within the limit: %s', async (format) => {
    const table = `file_${format}`
    const made = await upload(table, `mode=create&format=${format}`, files[format](20))
    expect(made.status).toBe(200)
    const refused = await upload(`${table}_wide`, `mode=create&format=${format}`, files[format](21))
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid-upload', message: tooWide(21) } })
  })
})

describe('a small file of a thousand columns', () => {
  const usual = useService()
  it('is read', async () => {
    const { upload: send1000 } = createUploads(() => usual)
    const names = Object.keys(record(1000)).join(',')
    const rows = `${'1.5,'.repeat(999)}x\n`.repeat(3)
    const answer = await send1000('thousand', 'mode=create&format=csv', `${names}\n${rows}`)
    expect(answer).toMatchObject({ status: 200, body: { rows: 3 } })
  })
})
