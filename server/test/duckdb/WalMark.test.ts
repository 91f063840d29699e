import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { attach } from '../../src/duckdb/Database.js'
import { inTransaction } from '../../src/duckdb/transactions.js'
import { findCutOff, WalMark } from '../../src/duckdb/WalMark.js'

let folder: string
let file: string
let instance: DuckDBInstance
let connection: DuckDBConnection
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-wal-'))
  file = join(folder, 'x.duckdb')
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
  await connection.run('PRAGMA disable_checkpoint_on_shutdown')
  await attach(connection, 'x', file)
  await connection.run('CREATE TABLE x.t (i INTEGER)')
})
afterEach(() => {
  connection.closeSync()
  instance.closeSync()
  rmSync(folder, { recursive: true })
})

const insert = (rows: number) =>
  inTransaction(connection, () => connection.run(`INSERT INTO x.t SELECT range FROM range(${rows})`))

/** Copies the files as a kill leaves them at this moment. */
const killedAs = (name: string) => {
  const copy = join(folder, name)
  for (const end of ['', '.wal', '.reached']) if (existsSync(file + end)) copyFileSync(file + end, copy + end)
  return copy
}
const countIn = async (copy: string): Promise<unknown> => {
  const other = await DuckDBInstance.create(':memory:')
  const reader = await other.connect()
  try {
    await attach(reader, 'y', copy)
    return (await reader.runAndReadAll('SELECT count(*)::INT FROM y.t')).getRows().flat()[0]
  } finally {
    reader.closeSync()
    other.closeSync()
  }
}

it('a flipped bit in the log of DuckDB is no write that was cut off, whichever bit it is', async () => {
  const mark = await WalMark.open(file)
  for (let n = 0; n < 10; n++) await insert(100)
  await mark.note()
  const bits = 8 * statSync(`${file}.wal`).size
  for (let n = 0; n < 200; n++) {
    const copy = killedAs('flipped.duckdb')
    const bytes = readFileSync(`${copy}.wal`)
    const bit = Math.floor(((n + 0.5) * bits) / 200)
    bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    writeFileSync(`${copy}.wal`, bytes)
    expect(await findCutOff(copy), `bit ${bit}`).toContain('rows that were stored would be lost')
  }
  const copy = killedAs('flipped.duckdb')
  rmSync(`${copy}.wal`)
  await expect(countIn(copy)).rejects.toThrow(/^The store is damaged: .*delete .*flipped\.duckdb\.reached/)
  rmSync(`${copy}.reached`)
  expect(await countIn(killedAs('whole.duckdb'))).toBe(1000)
  await mark.close()
})

it('a kill at any moment is no damage: within a write, after a checkpoint, and with a mark that is late', async () => {
  let mark = await WalMark.open(file)
  let rows = 0
  for (let n = 0; n < 30; n++) {
    await insert(50)
    rows += 50
    if (n % 3 === 0) await mark.note()
    if (n % 7 === 6) await connection.run('CHECKPOINT x')
    if (n % 5 === 4) await mark.note()
    const copy = killedAs(`${n}.duckdb`)
    // A write that was cut off leaves bytes behind the last commit that has ended.
    if (existsSync(`${copy}.wal`)) writeFileSync(`${copy}.wal`, 'half', { flag: 'a' })
    expect(await findCutOff(copy)).toBeUndefined()
    if (n % 10 === 0) expect(await countIn(copy)).toBe(rows)
    if (n === 15) {
      await mark.close()
      mark = await WalMark.open(file)
    }
  }
  await mark.close()
})

it('a slot that was written half leaves the mark before it', async () => {
  const mark = await WalMark.open(file)
  await insert(10)
  await mark.note()
  await insert(10)
  await mark.note()
  const copy = killedAs('half.duckdb')
  const marks = readFileSync(`${copy}.reached`)
  marks.fill(0, 8, 20)
  writeFileSync(`${copy}.reached`, marks)
  expect(await findCutOff(copy)).toBeUndefined()
  writeFileSync(`${copy}.wal`, readFileSync(`${copy}.wal`).subarray(0, 200))
  expect(await findCutOff(copy)).toContain('would be lost')
  await mark.close()
})
