import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Logger } from '../../src/Logger.js'
import type { ErasureState } from '../../src/payloads/erasure.js'
import { LoggedErasures } from '../../src/cluster/LoggedErasures.js'
import { ErasureList } from '../../src/privacy/ErasureList.js'
import { AskedErasures, Erasures } from '../../src/privacy/Erasures.js'
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
  const list = new ErasureList(file)
  const asked = new AskedErasures({
    list,
    finished: [],
    onLifted: () => void engine.lifted++,
    tell: (state) => engine.told.push(state),
  })
  const erasures = new Erasures({
    list,
    source: asked,
    applied: () => engine.applied,
    isKnown: ({ id }) => Promise.resolve(known.includes(id)),
    findObstacle: () => Promise.resolve(obstacle),
    restart() {
      engine.restarts++
      return Promise.resolve()
    },
    logger: new Logger('silent'),
  })
  const take = (id: string, through: number) => {
    asked.take([request(id)], through)
    erasures.check()
  }
  return { engine, asked, erasures, take }
}

it('an engine stores rows up to an erase and none behind it, and only then starts anew', async () => {
  const { engine, asked, erasures, take } = open({ known: ['a', 'b'] })
  expect(asked.through).toBeUndefined()
  take('a', 7)
  take('b', 9)
  expect(asked.through).toBe(9)
  expect(erasures.states).toEqual([
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
  expect(asked.through).toBe(9)
  expect(new ErasureList(file).all.map(({ id, through }) => [id, through])).toEqual([
    ['a', 7],
    ['b', 9],
  ])
})

it('an id that nobody has is told and forgotten, and rows are stored on', async () => {
  const { engine, asked, take } = open({ known: [] })
  take('a', 5)
  await eventually(() => expect(engine.lifted).toBe(1))
  expect(engine.told).toEqual([{ task: 'task of a', state: 'unknown' }])
  expect(engine.restarts).toBe(0)
  expect(asked.through).toBeUndefined()
  expect(existsSync(file)).toBe(false)
})

it('an id that nobody has is told at once, also beside one that somebody has', async () => {
  const { engine, take } = open({ known: ['a'] })
  engine.applied = 4
  take('a', 5)
  take('x', 5)
  expect(engine.told).toEqual([])
  engine.applied = 5
  take('y', 5)
  await eventually(() => expect(engine.restarts).toBe(1))
  expect(engine.told).toEqual(['x', 'y'].map((id) => ({ task: `task of ${id}`, state: 'unknown' })))
  expect(new ErasureList(file).all.map(({ id }) => id)).toEqual(['a'])
})

it('what cannot be taken off the list is still on it', () => {
  const list = new ErasureList(file)
  list.add([request('a')], 5)
  rmSync(file)
  mkdirSync(file)
  const tasks = new Set(['task of a'])
  expect(() => list.drop(tasks)).toThrow(/directory|EISDIR/)
  expect(list.all).toHaveLength(1)
  rmSync(file, { recursive: true })
  list.drop(tasks)
  expect(list.all).toEqual([])
})

it('where the disk has no room for a second store nothing is begun, and why is told', async () => {
  const { engine, take } = open({ known: ['a'], obstacle: 'It needs more disk.' })
  take('a', 5)
  await eventually(() => expect(engine.lifted).toBe(1))
  expect(engine.told).toEqual([
    { task: 'task of a', state: 'failed', reason: 'It needs more disk. Nothing was erased; ask again.' },
  ])
  expect(engine.restarts).toBe(0)
  expect(existsSync(file)).toBe(false)
})

it('rows behind an erase of a log wait for as long as it cannot be carried out', async () => {
  const list = new ErasureList(file)
  const steps: string[] = []
  let holds = 0
  let through: number | undefined = 4
  const erasures = new Erasures({
    list,
    source: {
      isPatient: true,
      get through() {
        return through
      },
      hold() {
        if (holds++ === 0) return Promise.reject(new Error('the log is away'))
        list.add([request('a')], 4)
        return Promise.resolve(list.all)
      },
      eraseShared: () => Promise.resolve(void steps.push('shared files')),
      tell: () => void steps.push('told'),
      lift() {
        through = undefined
        steps.push('lifted')
      },
    },
    applied: () => 4,
    isKnown: () => Promise.resolve(true),
    findObstacle() {
      steps.push('looked')
      return Promise.resolve('It needs more disk.')
    },
    restart: () => Promise.resolve(void steps.push('restarted')),
    logger: new Logger('silent'),
  })
  erasures.check()
  await eventually(() => expect(steps).toEqual(['shared files', 'looked']))
  await erasures.stop()
  expect(steps).toEqual(['shared files', 'looked'])
  expect(list.all).toHaveLength(1)
})

it('an erase from the time before a log in PostgreSQL ends without that log', async () => {
  const list = new ErasureList(file)
  list.add([request('a')], 5)
  const away = () => {
    throw new Error('the log is away')
  }
  const source = new LoggedErasures({
    list,
    follower: away,
    reader: 'r',
    secret: away,
    readErased: () => Promise.resolve(new Map()),
    eraseFromLake: undefined,
  })
  const erasures = new Erasures({
    list,
    source,
    applied: () => 9,
    isKnown: away,
    findObstacle: away,
    restart: away,
    logger: new Logger('silent'),
  })
  erasures.finish(new Set(['task of a']))
  await eventually(() => expect(list.all).toEqual([]))
  await erasures.stop()
})
