import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WriteAheadLog } from '../../src/wal/WriteAheadLog.js'
import { bodies, files, record, tiny } from './smallLog.js'
import { eventually } from '../fixtures/eventually.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-wal-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('a small log that was damaged', () => {
  const texts = ['one', 'two', 'three', 'four', 'five'].map((text) => text.padEnd(20, '.'))
  let whole: string
  let closed: string
  beforeEach(async () => {
    whole = join(root, 'whole')
    const log = await WriteAheadLog.open(whole, 0, tiny)
    for (const text of texts) await log.append(record(text))
    // The file of the next segment is made meanwhile.
    await eventually(() => {
      expect(readdirSync(whole)).not.toContain('new')
      expect(files(whole).length).toBeGreaterThan(2)
    })
    cpSync(whole, join(root, 'killed'), { recursive: true })
    await log.close()
    closed = whole
    whole = join(root, 'killed')
  })

  /** What is read after a change of one file: the rows, or the sentence that refuses them. */
  const openAfter = async (folder: string, name: string, change: (file: string) => void, goesOn = false) => {
    const copy = join(root, 'copy')
    rmSync(copy, { recursive: true, force: true })
    cpSync(folder, copy, { recursive: true })
    change(join(copy, name))
    try {
      const log = await WriteAheadLog.open(copy, 0, tiny)
      const found = await bodies(copy, log.last)
      if (goesOn) {
        expect(await log.append(record('next'))).toBe(log.last)
        expect(await bodies(copy, log.last)).toEqual([...found, 'next'])
      }
      await log.close()
      return found
    } catch (error) {
      expect((error as Error).message).toMatch(/^The store is damaged: .*Nothing was changed/)
      return 'damaged'
    }
  }

  it('has several segments', () => expect(files(whole).length).toBeGreaterThan(2))

  it('tells of every flipped bit, or has lost the last write alone, which no reader can tell from a cut-off one', async () => {
    const flip = (at: number) => (file: string) => {
      const bytes = readFileSync(file)
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at)
      writeFileSync(file, bytes)
    }
    for (const name of files(closed)) {
      const { length } = readFileSync(join(closed, name))
      for (let at = 0; at < length; at++) {
        const found = await openAfter(closed, name, flip(at))
        if (found !== 'damaged') expect(found).toEqual(texts)
      }
    }
    // One file holds the last write; the one after it is a spare.
    const name = files(whole).at(-2)!
    for (let at = 0; at < readFileSync(join(whole, name)).length; at++) {
      const found = await openAfter(whole, name, flip(at))
      if (found !== 'damaged') expect([texts, texts.slice(0, -1)]).toContainEqual(found)
    }
  })

  it('tells of every cut', async () => {
    for (const name of files(whole)) {
      const { length } = readFileSync(join(whole, name))
      for (let at = 0; at < length; at++) {
        const found = await openAfter(whole, name, (file) => truncateSync(file, at))
        if (found !== 'damaged') expect(found).toEqual(texts)
      }
    }
  })

  it('is whole up to a write that a crash cut off at any byte', async () => {
    const fresh = join(root, 'fresh')
    const log = await WriteAheadLog.open(fresh, 0, { smallest: 800, largest: 800 })
    const empty = readFileSync(join(fresh, files(fresh).at(0)!))
    await log.append(record(texts.at(0)!))
    await log.append(record(texts.at(1)!))
    const full = readFileSync(join(fresh, files(fresh).at(0)!))
    await log.close()
    // The writes were not noted yet: that comes after them.
    rmSync(join(fresh, 'reached'))
    for (let at = 44; at < 220; at++) {
      const torn = Buffer.concat([full.subarray(0, at), empty.subarray(at)])
      const found = await openAfter(fresh, files(fresh).at(0)!, (file) => writeFileSync(file, torn), true)
      const frame = 28 + 20 + 5 + 20
      expect(found).toEqual(texts.slice(0, Math.min(2, Math.floor((at - 44) / frame))))
    }
  })

  it('tells of a segment that is missing', async () => {
    const [, ...later] = files(whole).slice(0, -2)
    for (const name of later) expect(await openAfter(whole, name, (file) => rmSync(file))).toBe('damaged')
  })
})
