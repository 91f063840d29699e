import { describe, expect, it, vi } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { HttpError } from '../../src/http/HttpError.js'
import { LogUnavailable } from '../../src/wal/AcceptLog.js'
import { Intake, type IntakeOptions } from '../../src/wal/Intake.js'
import { TaskIds } from '../../src/wal/TaskIds.js'

const create = (
  last: number,
  applied: number,
  durable: Promise<void> = Promise.resolve(),
  bytes = 0,
  more: { logger?: Logger; append?: () => Promise<number>; isLate?: boolean } = {},
) => {
  const taskIds = new TaskIds(Buffer.alloc(32))
  const log: IntakeOptions['log'] = {
    append: more.append ?? (({ count }) => durable.then(() => last + count)),
    last,
    bytes,
    obstacle: undefined,
  }
  const applier: IntakeOptions['applier'] = {
    wake: () => undefined,
    applied,
    reached: () => Promise.resolve(true),
    deadLetter: () => undefined,
  }
  const logger = more.logger ?? new Logger('silent')
  const bounds = { maxBacklogRows: 100, maxBacklogBytes: 500 }
  const lagLimit = { isReached: () => more.isLate ?? false, note: () => undefined }
  const intake = new Intake({ number: 3, log, applier, taskIds, ...bounds, lagLimit, syncWaitMs: 10, logger })
  return { intake, taskIds }
}
const record = { kind: 'track', count: 5, receivedAtMs: 0, body: Buffer.from('[]') }

it('refuses with 503 and Retry-After while too much waits for DuckDB', () => {
  const refusalOf = (rows: number, bytes: number) => {
    try {
      create(rows, 0, undefined, bytes).intake.admit()
    } catch (error) {
      return error
    }
    return undefined
  }
  const overloaded = { status: 503, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } }
  expect(refusalOf(100, 500)).toBeUndefined()
  expect(refusalOf(101, 0)).toBeInstanceOf(HttpError)
  expect(refusalOf(101, 0)).toMatchObject(overloaded)
  expect(refusalOf(1, 501)).toMatchObject(overloaded)
})

it('refuses with 503 and Retry-After what would wait too long, and counts as accepting all the same', async () => {
  const { intake } = create(1, 0, undefined, 0, { isLate: true })
  expect(() => intake.admit()).toThrow(
    expect.objectContaining({ status: 503, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } }),
  )
  expect(intake.isAccepting).toBe(true)
})

it('gives a task that names the last row of the record', async () => {
  const { intake, taskIds } = create(10, 0)
  const { taskId } = await intake.accept(record, false)
  expect(taskIds.read(taskId)).toEqual({ log: 3, last: 15 })
})

it('accepts nothing that did not reach the disk', async () => {
  const failing = Promise.reject(new Error('disk'))
  await expect(create(0, 0, failing).intake.accept(record, false)).rejects.toMatchObject({ status: 503 })
})

it('refuses what was admitted before others filled the log', async () => {
  await expect(create(101, 0).intake.accept(record, false)).rejects.toMatchObject({ status: 503 })
})

it('says whether it would take a record: not beyond its bounds, nor for ten seconds after its disk has failed', async () => {
  expect(create(100, 0).intake.isAccepting).toBe(true)
  expect(create(101, 0).intake.isAccepting).toBe(false)
  expect(create(101, 1, undefined, 501).intake.isAccepting).toBe(false)
  vi.useFakeTimers()
  try {
    const { intake } = create(0, 0, Promise.reject(new Error('disk')))
    await intake.accept(record, false).catch(() => undefined)
    expect(intake.isAccepting).toBe(false)
    vi.advanceTimersByTime(10_000)
    expect(intake.isAccepting).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

it('takes nothing more once its disk has taken nothing for ten seconds, says so once, and goes on by itself', async () => {
  vi.useFakeTimers()
  try {
    const lines: unknown[] = []
    const logger = new Logger('info', (line) => lines.push(JSON.parse(line)))
    let take: (last: number) => void = () => undefined
    const append = () => new Promise<number>((resolve) => (take = resolve))
    const { intake } = create(0, 0, undefined, 0, { logger, append })
    const held = intake.accept(record, false)
    vi.advanceTimersByTime(10_000)
    expect(intake.isAccepting).toBe(true)
    vi.advanceTimersByTime(1)
    expect(intake.isAccepting).toBe(false)
    for (let request = 0; request < 3; request++) {
      expect(() => intake.admit()).toThrow('The service cannot write to its disk. Nothing was accepted')
    }
    expect(lines).toMatchObject([{ reason: 'The disk has taken nothing for ten seconds.' }])
    take(5)
    expect((await held).taskId).toBeDefined()
    vi.advanceTimersByTime(10_000)
    expect(intake.isAccepting).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

it('logs a disk that takes nothing once for each outage, and once when it is over', async () => {
  const lines: unknown[] = []
  const logger = new Logger('info', (line) => lines.push(JSON.parse(line)))
  let isFull = true
  const append = () => (isFull ? Promise.reject(new Error('It is full.')) : Promise.resolve(1))
  const { intake } = create(0, 0, undefined, 0, { logger, append })
  const accept = () => intake.accept(record, false).catch(() => undefined)
  const failing = { level: 'error', message: 'The write-ahead log cannot be written.', reason: 'It is full.' }
  vi.useFakeTimers()
  try {
    for (let n = 0; n < 50; n++) await accept()
    expect(lines).toMatchObject([failing])
    // What still has room is no end of it.
    isFull = false
    await accept()
    isFull = true
    for (let n = 0; n < 50; n++) await accept()
    expect(lines).toHaveLength(1)
    isFull = false
    vi.advanceTimersByTime(10_000)
    for (let n = 0; n < 3; n++) await accept()
    expect(lines).toMatchObject([
      failing,
      { level: 'warn', message: 'The write-ahead log is written again.', refused: 100 },
    ])
    isFull = true
    await accept()
    expect(lines.slice(2)).toMatchObject([failing])
  } finally {
    vi.useRealTimers()
  }
})

it('knows how many rows wait to be stored', () => {
  expect(create(30, 12, undefined, 400).intake.backlog).toEqual({ rows: 18, bytes: 400 })
})

describe('a log that is not on this machine', () => {
  const createRemote = (log: Pick<IntakeOptions['log'], 'append' | 'obstacle'>) => {
    const applier = { wake: vi.fn(), applied: 0, reached: vi.fn(), deadLetter: vi.fn() }
    const taskIds = new TaskIds(Buffer.alloc(32))
    const bounds = {
      maxBacklogRows: 1,
      maxBacklogBytes: 1,
      syncWaitMs: 1,
      lagLimit: { isReached: () => false, note: () => undefined },
    }
    const logger = new Logger('silent')
    return new Intake({ number: 0, log: { last: 0, bytes: 0, ...log }, applier, taskIds, ...bounds, logger })
  }

  it('is not asked while something stands in its way, and that is said', () => {
    const intake = createRemote({ append: () => Promise.resolve(1), obstacle: 'It is away.' })
    expect(intake.isAccepting).toBe(false)
    const refusal = { status: 503, code: 'log-unavailable', message: 'It is away.' }
    expect(() => intake.admit()).toThrow(expect.objectContaining(refusal))
  })

  it('that did not take a record may be asked again at once', async () => {
    const refused = new LogUnavailable('It did not confirm it.', 2000)
    const intake = createRemote({ append: () => Promise.reject(refused), obstacle: undefined })
    await expect(intake.accept(record, false)).rejects.toMatchObject({
      status: 503,
      code: 'log-unavailable',
      headers: { 'retry-after': '2' },
    })
    expect(intake.isAccepting).toBe(true)
  })
})
