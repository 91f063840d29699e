import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { runWaymark } from '../fixtures/runWaymark.js'

let service: Service
const root = mkdtempSync(join(tmpdir(), 'waymark-export-'))

const day = 86_400_000
const midnight = Date.UTC(2026, 2, 29)

beforeAll(async () => {
  service = await createService()
  const at = (ms: number, more = {}) => event('seen', { distinct_id: 'u', timestamp: midnight + ms, ...more })
  await service.ingest('/track?sync=true', [
    at(-1),
    at(0, { properties: { price: 1.5, $url: 'https://shop.example/a' } }),
    at(day - 1, { anonymous_id: 'a' }),
    at(day),
    at(0, { environment: 'staging' }),
  ])
  await service.ingest('/identify?sync=true', {
    environment: 'production',
    distinct_id: 'u',
    traits: { plan: 'pro' },
  })
})
afterAll(async () => {
  await service.close()
  rmSync(root, { recursive: true })
})

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted()

const readParquet = async (sql: string) => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  const { columnNames, rows } = await connection.runAndReadAll(sql).then((reader) => ({
    columnNames: reader.columnNames(),
    rows: reader.getRowsJson(),
  }))
  connection.closeSync()
  instance.closeSync()
  return { columnNames, rows }
}

const expectFiles = async (target: string) => {
  expect(filesIn(target)).toEqual([
    'events/environment=production/day=2026-03-28/events.parquet',
    'events/environment=production/day=2026-03-29/events.parquet',
    'events/environment=production/day=2026-03-30/events.parquet',
    'events/environment=staging/day=2026-03-29/events.parquet',
    'persons/environment=production/persons.parquet',
    'persons/environment=staging/persons.parquet',
  ])
  const events = `read_parquet('${target}/events/**/*.parquet', hive_partitioning = true)`
  expect(
    (
      await readParquet(
        `SELECT event_id, environment, day::VARCHAR, person_id, properties->>'price' FROM ${events} ORDER BY 1`,
      )
    ).rows,
  ).toEqual([
    ['1', 'production', '2026-03-28', 'u', null],
    ['2', 'production', '2026-03-29', 'u', '1.5'],
    ['3', 'production', '2026-03-29', 'u', null],
    ['4', 'production', '2026-03-30', 'u', null],
    ['5', 'staging', '2026-03-29', 'u', null],
  ])
  const persons = `read_parquet('${target}/persons/**/*.parquet', hive_partitioning = true)`
  expect(
    (
      await readParquet(
        `SELECT environment, person_id, distinct_ids, traits->>'plan', events FROM ${persons} ORDER BY 1`,
      )
    ).rows,
  ).toEqual([
    ['production', 'u', ['a', 'u'], 'pro', '4'],
    ['staging', 'u', ['u'], null, '1'],
  ])
  return readParquet(`SELECT * EXCLUDE (day) FROM ${events}`)
}

const exportTo = (target: string) => runWaymark('export', '--parquet', target, '--data', service.folder)

it('export writes a file for each day and environment of a running service, with all columns of events', async () => {
  const target = join(root, 'running')
  const { code, lines, problems } = await exportTo(target)
  expect({ code, lines, problems }).toEqual({ code: 0, lines: [`6 files are in ${target}.`], problems: '' })
  const { columnNames } = await expectFiles(target)
  const described = await service.query('DESCRIBE events')
  expect(columnNames.toSorted()).toEqual(described.rows.map(([name]) => name as string).toSorted())
  expect(readdirSync(join(service.folder, 'temp')).filter((name) => name.startsWith('export'))).toEqual([])
})

it('export of a stopped store writes the same, over what an earlier one left', async () => {
  const target = join(root, 'stopped')
  expect(await exportTo(target)).toMatchObject({ code: 0 })
  const old = join(target, 'events/environment=production/day=2026-03-28/events.parquet')
  writeFileSync(old, 'old')
  writeFileSync(`${old}.partial`, 'of one that was killed')
  await service.stop()
  try {
    expect(await exportTo(target)).toMatchObject({ code: 0 })
    expect(existsSync(`${old}.partial`)).toBe(false)
    await expectFiles(target)
  } finally {
    await service.restart()
  }
})

it('export that cannot go on says how many files there are, and leaves no part of one', async () => {
  const blocked = join(root, 'blocked')
  mkdirSync(join(blocked, 'events/environment=production/day=2026-03-29/events.parquet'), { recursive: true })
  const { code, problems } = await exportTo(blocked)
  expect(code).toBe(1)
  expect(problems).toMatch(/^Only 1 files could be written: .*Try again\.$/)
  expect(filesIn(blocked)).toEqual(['events/environment=production/day=2026-03-28/events.parquet'])
})
