import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ErasureState } from '../../src/payloads/erasure.js'
import { ErasureList } from '../../src/privacy/ErasureList.js'
import { Erasures } from '../../src/privacy/Erasures.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-erasures-'))
  file = join(folder, 'erasures.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const request = (id: string) => ({ task: `task of ${id}`, environment: 'e', id, user: 'ada', askedAtMs: 1 })

/** An engine with rows up to `applied`, in which some ids are known. */
const open = ({ known, obstacle }: { known: string[]; obstacle?: string }) => {
  const engine = { applied: 5, restarts: 0, lifted: 0, told: [] as ErasureState[] }
  const erasures = new Erasures({
    list: new ErasureList(file),
    finished: [],
    applied: () => engine.applied,
    isKnown: ({ id }) => Promise.resolve(known.includes(id)),
    findObstacle: () => Promise.resolve(obstacle),
    restart() {
      engine.restarts++
      return Promise.resolve()
    },
    onLifted: () => void engine.lifted++,
    tell: (state) => engine.told.push(state),
  })
  return { engine, erasures }
}

it('an engine stores rows up to an erase and none behind it, and only then starts anew', async () => {
  const { engine, erasures } = open({ known: ['a', 'b'] })
  expect(erasures.limit).toBe(Infinity)
  erasures.take([request('a')], 7)
  erasures.take([request('b')], 9)
  expect(erasures.limit).toBe(9)
  expect(erasures.states()).toEqual([
    { task: 'task of a', state: 'pending' },
    { task: 'task of b', state: 'pending' },
  ])
  engine.applied = 8
  erasures.check()
  await new Promise(setImmediate)
  expect(engine.restarts).toBe(0)
  engine.applied = 9
  erasures.check()
  await eventually(() => expect(engine.restarts).toBe(1))
  expect(erasures.limit).toBe(9)
  expect(new ErasureList(file).all.map(({ id, through }) => [id, through])).toEqual([
    ['a', 7],
    ['b', 9],
  ])
})

it('an id that nobody has is told and forgotten, and rows are stored on', async () => {
  const { engine, erasures } = open({ known: [] })
  erasures.take([request('a')], 5)
  await eventually(() => expect(engine.lifted).toBe(1))
  expect(engine.told).toEqual([{ task: 'task of a', state: 'unknown' }])
  expect(engine.restarts).toBe(0)
  expect(erasures.limit).toBe(Infinity)
  expect(existsSync(file)).toBe(false)
})

it('where the disk has no room for a second store nothing is begun, and why is told', async () => {
  const { engine, erasures } = open({ known: ['a'], obstacle: 'It needs more disk.' })
  erasures.take([request('a')], 5)
  await eventually(() => expect(engine.lifted).toBe(1))
  expect(engine.told).toEqual([
    { task: 'task of a', state: 'failed', reason: 'It needs more disk. Nothing was erased; ask again.' },
  ])
  expect(engine.restarts).toBe(0)
  expect(existsSync(file)).toBe(false)
})
