import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Importers } from '../../src/upload/Importers.js'
import { createUploads } from '../fixtures/createUploads.js'
import { useService } from '../fixtures/useService.js'

const service = useService()
const { upload, all } = createUploads(() => service)

/** DuckDB 1.5.6 breaks on this file: a VARIANT is stored as `metadata` and `value`, and here the first has another name. */
const breaking = async (folder: string): Promise<Buffer> => {
  const file = join(folder, 'variant.parquet')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (SELECT 1::VARIANT AS v) TO '${file}' (FORMAT parquet)`)
  connection.closeSync()
  instance.closeSync()
  return Buffer.from(readFileSync(file).toString('latin1').replaceAll('metadata', 'metadatb'), 'latin1')
}

let folder: string
let broken: Buffer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-broken-'))
  broken = await breaking(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

const unreadable = {
  status: 400,
  body: { error: 'invalid-upload', message: expect.stringContaining('DuckDB, which reads it, breaks on it') },
}

describe('a file that breaks what reads it', () => {
  it('is refused alone: other files, queries and temporary tables go on', async () => {
    const session = { session_id: 'beside' }
    await service.query('CREATE TEMP TABLE mine AS SELECT 7 AS n', session)
    const running = service.query('SELECT count(*) FROM range(30_000_000) t(n) WHERE hash(n) >= 0')
    const [first, good, second, counted] = await Promise.all([
      upload('broken', 'mode=create', broken),
      upload('beside', 'mode=create&format=csv', 'a,b\n1,x\n2,y\n'),
      upload('broken', 'mode=create', broken),
      running,
    ])
    expect(first).toMatchObject(unreadable)
    expect(second).toMatchObject(unreadable)
    expect(good).toMatchObject({ status: 200, body: { rows: 2 } })
    expect(counted).toMatchObject({ status: 200, rows: [[30_000_000]] })
    expect((await service.query('FROM mine', session)).rows).toEqual([[7]])
    expect(await all('beside')).toEqual([
      [1, 'x'],
      [2, 'y'],
    ])
    expect((await service.query('FROM broken')).status).toBe(400)
  })

  it('gets an answer without a trace, a path or words of DuckDB, and leaves nothing', async () => {
    const { body } = await upload('broken', 'mode=create', broken)
    expect(JSON.stringify(body)).not.toMatch(/INTERNAL|Stack|0x|\/|Variant/)
    expect(readdirSync(join(service.folder, 'spool'))).toEqual([])
    expect(readdirSync(join(service.folder, 'temp')).filter((name) => name.startsWith('stage'))).toEqual([])
  })
})

describe('a process that reads a file', () => {
  const read = async (
    { memoryBytes = 2 ** 29, signal = new AbortController().signal },
    file: string,
    format: 'csv' | 'parquet' = 'csv',
  ) => {
    const importers = new Importers({ memoryBytes, threads: 1 })
    const stage = join(folder, 'stage')
    try {
      const dialect = { delimiter: ',', header: true, firstRow: 1 }
      const found = {
        file,
        stage,
        format,
        names: ['a'],
        dialect,
        known: undefined,
        rows: undefined,
        maxColumns: 1,
      }
      return await importers.read({ ...found, bytes: 100 }, signal)
    } finally {
      importers.close()
      rmSync(stage, { force: true })
    }
  }

  it('is ended when nobody needs it any more', async () => {
    const stopping = new AbortController()
    const reading = read({ signal: stopping.signal }, join(folder, 'variant.parquet'), 'parquet')
    stopping.abort()
    await expect(reading).rejects.toMatchObject({ status: 503 })
  })

  it('tells no path of a file that it cannot open', async () => {
    await expect(read({}, join(folder, 'absent'), 'csv')).rejects.toMatchObject({
      message: expect.not.stringContaining(folder),
    })
  })
})
