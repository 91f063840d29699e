import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DiskRoom, roomOf } from '../../src/disk/DiskRoom.js'
import { eventually } from '../fixtures/eventually.js'

const mebibyte = 2 ** 20

let tempFolder: string
/** In MiB. */
let free: number
let looked: number
let room: DiskRoom
beforeEach(() => {
  tempFolder = mkdtempSync(join(tmpdir(), 'waymark-diskroom-'))
  free = 100
  looked = 0
  const look = () => {
    looked++
    return Promise.resolve({ total: 1000 * mebibyte, free: free * mebibyte })
  }
  room = new DiskRoom({ path: 'disk', temp: tempFolder }, 50 * mebibyte, look)
})
afterEach(() => rmSync(tempFolder, { recursive: true }))

it('says whether less is free than the reserve', async () => {
  expect(await room.isShort()).toBe(false)
  free = 49
  expect(await room.isShort()).toBe(true)
})

/** Work that may fill the disk, and notes that it was ended. */
const work = (fills: boolean, ended: string[], name: string) => {
  const leave = room.watch({ fills, end: () => ended.push(name) })
  return { leave }
}
/** Lets the room look so many times. */
const looks = async (times: number) => {
  const from = looked
  await eventually(() => expect(looked).toBeGreaterThanOrEqual(from + times), 5)
}

it('ends what has used up most, and another one only when that has gone and it was not enough', async () => {
  const ended: string[] = []
  const before = work(true, ended, 'before')
  await looks(2)
  const filler = work(true, ended, 'filler')
  await looks(2)
  free = 60
  await looks(2)
  const after = work(true, ended, 'after')
  await looks(2)
  free = 40
  await looks(3)
  expect(ended).toEqual(['filler'])
  filler.leave()
  await looks(3)
  expect(ended).toEqual(['filler', 'before'])
  before.leave()
  free = 80
  await looks(3)
  expect(ended).toEqual(['filler', 'before'])
  after.leave()
})

it('ends nothing that has ended by itself, and waits for nothing when hardly anything is free', async () => {
  const ended: string[] = []
  const gone = work(true, ended, 'gone')
  const two = ['a', 'b'].map((name) => work(true, ended, name))
  gone.leave()
  free = 10
  await eventually(() => expect(ended.toSorted()).toEqual(['a', 'b']))
  for (const { leave } of two) leave()
})

it('takes reading for filling while DuckDB has put rows aside', async () => {
  writeFileSync(join(tempFolder, 'export-1'), 'not of DuckDB')
  const ended: string[] = []
  const { leave } = work(false, ended, 'reader')
  free = 40
  await looks(3)
  expect(ended).toEqual([])
  writeFileSync(join(tempFolder, 'duckdb_temp_storage_DEFAULT-0.tmp'), 'rows')
  await eventually(() => expect(ended).toEqual(['reader']))
  leave()
})

it('calls once when so much is free, and not when it has ended', async () => {
  const [ended, waiting] = [vi.fn(), vi.fn()]
  const end = room.onceFree(200 * mebibyte, ended)
  room.onceFree(200 * mebibyte, waiting)
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
