import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DiskRoom, roomOf } from '../../src/store/DiskRoom.js'
import { eventually } from '../fixtures/eventually.js'

let tempFolder: string
let free: number
let room: DiskRoom
beforeEach(() => {
  tempFolder = mkdtempSync(join(tmpdir(), 'waymark-diskroom-'))
  free = 100
  const look = () => Promise.resolve({ total: 1000, free })
  room = new DiskRoom({ path: 'disk', tempFolder, reserveBytes: 50, look })
})
afterEach(() => rmSync(tempFolder, { recursive: true }))

it('says whether less is free than the reserve', async () => {
  expect(await room.isShort()).toBe(false)
  free = 49
  expect(await room.isShort()).toBe(true)
})

it('calls those who watch again and again while the disk is short, and nobody who has ended', async () => {
  const [ended, watching] = [vi.fn(), vi.fn()]
  const end = room.watch(ended)
  const endOther = room.watch(watching)
  end()
  free = 10
  await eventually(() => expect(watching.mock.calls.length).toBeGreaterThan(2))
  endOther()
  expect(ended).not.toHaveBeenCalled()
  expect(watching).toHaveBeenCalledWith(false)
})

it('says when DuckDB has put rows aside, which a query that reads may have done', async () => {
  writeFileSync(join(tempFolder, 'export-1'), 'not of DuckDB')
  const watching = vi.fn()
  const end = room.watch(watching)
  free = 10
  await eventually(() => expect(watching).toHaveBeenLastCalledWith(false))
  writeFileSync(join(tempFolder, 'duckdb_temp_storage_DEFAULT-0.tmp'), 'rows')
  await eventually(() => expect(watching).toHaveBeenLastCalledWith(true))
  end()
})

it('calls once when so much is free, and not when it has ended', async () => {
  const [ended, waiting] = [vi.fn(), vi.fn()]
  const end = room.onceFree(200, ended)
  room.onceFree(200, waiting)
  end()
  free = 200
  await eventually(() => expect(waiting).toHaveBeenCalledTimes(1))
  expect(ended).not.toHaveBeenCalled()
})

it('keeps 1 GiB free, of a small disk a tenth, or what was said', () => {
  const gibibyte = 2 ** 30
  expect(roomOf({ total: 100 * gibibyte, free: 5 * gibibyte })).toBe(4 * gibibyte)
  expect(roomOf({ total: 300, free: 280 })).toBe(250)
  expect(roomOf({ total: 300, free: 10 })).toBe(0)
  expect(roomOf({ total: 300, free: 280 }, 0)).toBe(280)
})
