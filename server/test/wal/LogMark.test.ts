import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readMark } from '../../src/wal/scanLog.js'
import { type LogRecord, readHead, scanSegment } from '../../src/wal/segment.js'
import { WriteAheadLog } from '../../src/wal/WriteAheadLog.js'
import { eventually } from '../fixtures/eventually.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-mark-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true, force: true })
})

const tiny = { smallest: 250, largest: 400 }
const record = (body: string): LogRecord => ({
  kind: 'track',
  count: 1,
  receivedAtMs: 5,
  body: Buffer.from(body),
})
const files = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.wal'))

describe('a log whose newest file is lost', () => {
  const zero = (file: string) => writeFileSync(file, Buffer.alloc(statSync(file).size))
  const newest = (folder: string) => {
    // The last one is made for what comes, and holds nothing yet.
    const names = files(folder).toSorted()
    return join(folder, names.findLast((name) => readFileSync(join(folder, name)).readUInt8(0) !== 0) ?? '')
  }
  const write = async (folder: string, rows: number) => {
    const log = await WriteAheadLog.open(folder, 0, tiny)
    for (let at = log.last; at < rows; at++) await log.append(record(`${at}`.padEnd(80)))
    return log
  }

  it.each([
    ['is missing', (file: string) => rmSync(file)],
    ['holds nothing but zeros', zero],
  ])('says so when it %s, also where only one is left', async (what, lose) => {
    for (const rows of [1, 12]) {
      const folder = join(root, `${rows}`)
      await (await write(folder, rows)).close()
      const file = newest(folder)
      lose(file)
      const sentence = `The store is damaged: the write-ahead log ${file} ${what}; rows `
      await expect(WriteAheadLog.open(folder, 0, tiny)).rejects.toThrow(sentence)
      await expect(WriteAheadLog.open(folder, 0, tiny)).rejects.toThrow(`to ${rows} were in it. Nothing was`)
    }
  })

  it('says so when its rows are zeros from somewhere on', async () => {
    await (await write(root, 5)).close()
    const file = newest(root)
    const bytes = readFileSync(file)
    writeFileSync(file, Buffer.concat([bytes.subarray(0, 60), Buffer.alloc(bytes.length - 60)]))
    await expect(WriteAheadLog.open(root, 0, tiny)).rejects.toThrow(
      /has lost its end; rows \d to 5 were in it/,
    )
  })

  it('says so of a log that was killed, once it has noted its rows', async () => {
    const folder = join(root, 'killed')
    const log = await write(join(root, 'log'), 12)
    await eventually(async () => expect(await readMark(join(root, 'log'))).toMatchObject({ last: 12 }))
    cpSync(join(root, 'log'), folder, { recursive: true })
    rmSync(newest(folder))
    await expect(WriteAheadLog.open(folder, 0, tiny)).rejects.toThrow(/is missing; rows \d+ to 12 were in it/)
    await log.close()
  })

  it('notes nothing that is not on disk already, so that a power cut at any moment raises no alarm', async () => {
    const other = await open(join(root, 'other'), 'w')
    const handles = Object.getPrototypeOf(other) as { write(...given: unknown[]): Promise<unknown> }
    await other.close()
    const plain = handles.write
    const folder = join(root, 'log')
    const noted: number[] = []
    const lastOnDisk = () => {
      const bytes = files(folder).map((name) => readFileSync(join(folder, name)))
      const lasts = bytes.map((each) => {
        const head = readHead(each)
        return head === undefined ? 0 : scanSegment(each, head).last
      })
      return Math.max(...lasts)
    }
    const spy = vi.spyOn(handles, 'write').mockImplementation(function (this: unknown, ...given) {
      const slot = given[0] as Buffer
      if (slot.length === 28 && slot.toString('latin1', 0, 8) === 'waymarkm') {
        noted.push(slot.readDoubleLE(16))
        expect(lastOnDisk()).toBeGreaterThanOrEqual(noted.at(-1)!)
      }
      return plain.apply(this, given)
    })
    const log = await WriteAheadLog.open(folder, 0, tiny)
    for (let at = 1; at <= 60; at++) {
      await log.append(record(`${at}`.padEnd(at % 90)))
      if (at % 3 === 0) await log.trim(at)
    }
    await log.close()
    spy.mockRestore()
    expect(noted.length).toBeGreaterThan(5)
    expect(noted).toEqual(noted.toSorted((a, b) => a - b))
    const again = await WriteAheadLog.open(folder, 0, tiny)
    expect(again.last).toBe(60)
    await again.close()
  })

  it('goes on from a note of which a crash has cut off one half, and from a log without one', async () => {
    await (await write(root, 5)).close()
    const whole = readFileSync(join(root, 'reached'))
    for (const start of [0, 4096]) {
      const torn = Buffer.from(whole)
      torn.fill(0, start + 20, start + 28)
      writeFileSync(join(root, 'reached'), torn)
      await (await write(root, 5)).close()
      expect(await readMark(root)).toMatchObject({ last: 5 })
      writeFileSync(join(root, 'reached'), whole)
    }
    rmSync(join(root, 'reached'))
    const log = await write(root, 6)
    await log.close()
    expect(await readMark(root)).toMatchObject({ last: 6 })
  })
})
