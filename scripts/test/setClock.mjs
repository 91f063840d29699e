import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** When the clocks of Europe change, in UTC: the last Sunday of a month, at one. @param {number} month from 0 */
function nextChange(month) {
  const year = new Date().getUTCFullYear()
  for (const each of [year, year + 1]) {
    const last = new Date(Date.UTC(each, month + 1, 0, 1))
    last.setUTCDate(last.getUTCDate() - last.getUTCDay())
    if (last.getTime() > Date.now()) return last.getTime()
  }
  throw new Error('a year has no such month')
}

/** Where the clock begins, and the zone. @type {Record<string, { zone: string, startMs(): number }>} */
const clocks = {
  // An hour before midnight.
  '23:00': { zone: 'UTC', startMs: () => new Date().setUTCHours(23, 0, 0, 0) },
  // Midnight comes while the tests run.
  '23:58': { zone: 'UTC', startMs: () => new Date().setUTCHours(23, 58, 0, 0) },
  'to-summer': { zone: 'Europe/Berlin', startMs: () => nextChange(2) - 120_000 },
  'to-winter': { zone: 'Europe/Berlin', startMs: () => nextChange(9) - 120_000 },
}

export const clockNames = ['now', ...Object.keys(clocks)]

/** Debian's package `faketime` has it. */
function findLibrary() {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib').map((name) => join('/usr/lib', name)) : []
  return folders.map((folder) => join(folder, 'faketime/libfaketimeMT.so.1')).find(existsSync)
}

/**
 * The environment of a program for which it is another time. Without `libfaketime` only the zone is set.
 * @param {string} name
 * @returns {Record<string, string>}
 */
export function setClock(name) {
  if (name === 'now') return {}
  const clock = clocks[name]
  if (!clock) throw new Error(`--clock takes some of ${clockNames.join()}, not ${name}`)
  const library = findLibrary()
  if (!library) {
    console.log(`· not tried: clock ${name}, because libfaketime is not here (apt-get install faketime)`)
    return { TZ: clock.zone }
  }
  const offset = Math.round((clock.startMs() - Date.now()) / 1000)
  return {
    TZ: clock.zone,
    LD_PRELOAD: library,
    FAKETIME: `${offset < 0 ? '' : '+'}${offset}`,
    // Timers run by the clock that counts from the start of the machine.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
}
