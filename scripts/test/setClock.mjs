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

/** A zone in which midnight is less than an hour away. */
function zoneBeforeMidnight() {
  const hour = new Date().getUTCHours()
  // `Etc/GMT-5` is five hours ahead of UTC.
  return hour > 10 ? `Etc/GMT-${23 - hour}` : `Etc/GMT+${hour + 1}`
}

/**
 * Where the clock begins, and the zone; `elsewhere` is the zone where the clock cannot be set.
 * @type {Record<string, { zone: string, startMs(): number, elsewhere?: () => string }>}
 */
const clocks = {
  // An hour before midnight.
  '23:00': {
    zone: 'UTC',
    startMs: () => new Date().setUTCHours(23, 0, 0, 0),
    elsewhere: zoneBeforeMidnight,
  },
  // Midnight comes while the tests run.
  '23:58': {
    zone: 'UTC',
    startMs: () => new Date().setUTCHours(23, 58, 0, 0),
    elsewhere: zoneBeforeMidnight,
  },
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
 * The environment of a program for which it is another time. Without `libfaketime`, and for browsers, which do not come
 * up under it, only the zone is set.
 * @param {string} name
 * @param {boolean} hasBrowser
 * @returns {Record<string, string>}
 */
export function setClock(name, hasBrowser) {
  if (name === 'now') return {}
  const clock = clocks[name]
  if (!clock) throw new Error(`--clock takes some of ${clockNames.join()}, not ${name}`)
  const library = hasBrowser ? undefined : findLibrary()
  if (!library) {
    const zone = clock.elsewhere?.() ?? clock.zone
    const reason = hasBrowser
      ? 'a browser does not come up under libfaketime'
      : 'libfaketime is not here (apt-get install faketime)'
    console.log(`· the clock is not set to ${name}, only the zone to ${zone}: ${reason}`)
    return { TZ: zone }
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
