import { expect, it } from 'vitest'
import { Refusal } from '../../src/http/Refusal.js'
import type { AcceptLog } from '../../src/ingest/createAcceptLog.js'
import type { Drain } from '../../src/ingest/createDrain.js'
import { createLedger } from '../../src/ingest/createLedger.js'
import { createTaskIds } from '../../src/ingest/createTaskIds.js'
import { createLog } from '../../src/log/createLog.js'

const create = (last: number, applied: number, durable: Promise<void> = Promise.resolve(), bytes = 0) => {
  const taskIds = createTaskIds(Buffer.alloc(32))
  const log: AcceptLog = {
    append: ({ count }) => ({ last: last + count, durable }),
    read: () => [],
    prune: () => Promise.resolve(),
    last: () => last,
    bytes: () => bytes,
  }
  const drain: Drain = {
    wake: () => undefined,
    applied: () => applied,
    appliedBytes: () => 1000,
    reached: () => Promise.resolve(true),
    rejection: () => undefined,
    stop: () => Promise.resolve(),
  }
  const report = createLog('silent')
  const bounds = { maxBacklogRows: 100, maxBacklogBytes: 500 }
  const ledger = createLedger({ number: 3, log, drain, taskIds, ...bounds, syncWaitMs: 10, report })
  return { ledger, taskIds }
}
const record = { kind: 'track', count: 5, receivedAtMs: 0, body: Buffer.from('[]') }

it('refuses with 503 and Retry-After while too much waits for DuckDB', () => {
  const refusalOf = (rows: number, bytes: number) => {
    try {
      create(rows, 0, undefined, 1000 + bytes).ledger.admit()
    } catch (error) {
      return error
    }
    return undefined
  }
  const overloaded = { status: 503, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } }
  expect(refusalOf(100, 500)).toBeUndefined()
  expect(refusalOf(101, 0)).toBeInstanceOf(Refusal)
  expect(refusalOf(101, 0)).toMatchObject(overloaded)
  expect(refusalOf(1, 501)).toMatchObject(overloaded)
})

it('gives a task that names the last row of the record', async () => {
  const { ledger, taskIds } = create(10, 0)
  const { taskId } = await ledger.accept(record, false)
  expect(taskIds.read(taskId)).toEqual({ log: 3, last: 15 })
})

it('accepts nothing that did not reach the disk', async () => {
  const failing = Promise.reject(new Error('disk'))
  await expect(create(0, 0, failing).ledger.accept(record, false)).rejects.toMatchObject({ status: 503 })
})

it('refuses what was admitted before others filled the log', async () => {
  await expect(create(101, 0).ledger.accept(record, false)).rejects.toMatchObject({ status: 503 })
})
