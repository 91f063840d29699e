import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { ClockNote } from '../../src/privacy/retention.js'

afterEach(() => {
  vi.useRealTimers()
})

const noon = Date.UTC(2026, 0, 2, 12)
const dayMs = 86_400_000

/** A store whose newest event was received at this time. */
const storeWith = (newestMs: number | null) =>
  ({
    runAndReadAll: () => Promise.resolve({ getRows: () => [[newestMs]] }),
  }) as unknown as DuckDBConnection

const makeNote = () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-clock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  vi.useFakeTimers({ now: noon, toFake: ['Date'] })
  return new ClockNote(join(folder, 'clock.json'), undefined)
}

it('doubts a clock that is more than a week ahead of the last time, and not one that was behind for a while', async () => {
  const note = makeNote()
  const store = storeWith(noon)
  expect(await note.findDoubt(store)).toBeUndefined()
  vi.setSystemTime(noon - 400 * dayMs)
  expect(await note.findDoubt(store)).toBeUndefined()
  vi.setSystemTime(noon + 7 * dayMs)
  expect(await note.findDoubt(store)).toBeUndefined()
  vi.setSystemTime(noon + 15 * dayMs)
  expect(await note.findDoubt(store)).toContain(
    'The clock says 2026-01-17, and the service ran last on 2026-01-09',
  )
})

it('takes no clock at its word before anything is stored', async () => {
  const note = makeNote()
  vi.setSystemTime(noon + 400 * dayMs)
  expect(await note.findDoubt(storeWith(null))).toBeUndefined()
  vi.setSystemTime(noon)
  expect(await note.findDoubt(storeWith(noon))).toBeUndefined()
  vi.setSystemTime(noon + 400 * dayMs)
  expect(await note.findDoubt(storeWith(noon))).toContain('no event is deleted')
})
