import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Attempt, type Tried } from '../../src/wal/Attempt.js'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-attempt-'))
  file = join(folder, 'analytics.attempt')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** An engine that notes what it is about to store, and ends. */
const run = (...tried: Tried[]) => {
  const attempt = new Attempt(file)
  for (const each of tried) attempt.note(each)
  attempt.close()
}

it('tells the next engine what was not finished', () => {
  run(
    { applied: 10, bytes: 123_456, isOneRow: false, isToBlame: false },
    { applied: 20, bytes: 99, isOneRow: false, isToBlame: false },
  )
  const attempt = new Attempt(file)
  expect([attempt.unfinishedAt(20), attempt.unfinishedAt(10), attempt.unfinishedAt(30)]).toEqual([
    99,
    undefined,
    undefined,
  ])
  expect(attempt.endsAt(20)).toBe(0)
  attempt.close()
})

it('counts the engines that one row is to blame for, until it is passed', () => {
  const row = { applied: 20, bytes: 99, isOneRow: true, isToBlame: true }
  for (const ends of [0, 1, 2]) {
    const attempt = new Attempt(file)
    expect(attempt.endsAt(20)).toBe(ends)
    attempt.note(row)
    attempt.close()
  }
  run({ applied: 21, bytes: 99, isOneRow: true, isToBlame: true })
  const attempt = new Attempt(file)
  expect([attempt.endsAt(20), attempt.endsAt(21)]).toEqual([0, 1])
  attempt.close()
})

it('blames no row for an engine that ended while something else needed memory, or after an error', () => {
  const row = { applied: 20, bytes: 99, isOneRow: true }
  run({ ...row, isToBlame: true }, { ...row, isToBlame: false })
  const second = new Attempt(file)
  expect([second.isRowAt(20), second.endsAt(20)]).toEqual([true, 0])
  second.note({ ...row, isToBlame: true })
  second.clear()
  second.close()
  const third = new Attempt(file)
  expect([third.isRowAt(20), third.endsAt(20), third.unfinishedAt(20)]).toEqual([false, 0, undefined])
  third.close()
})

it('knows nothing where the file is not what it should be', () => {
  writeFileSync(file, 'not JSON')
  run()
  const attempt = new Attempt(file)
  expect([attempt.unfinishedAt(0), attempt.endsAt(0)]).toEqual([undefined, 0])
  attempt.close()
})

it('does without a file where none can be made', () => {
  const attempt = new Attempt(join(folder, 'not', 'there'))
  attempt.note({ applied: 1, bytes: 1, isOneRow: true, isToBlame: true })
  attempt.close()
})
