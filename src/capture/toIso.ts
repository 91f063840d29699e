let second = NaN
let prefix = ''

/** A time in Unix milliseconds as ISO 8601. Events come many a second, and only the milliseconds differ. */
export function toIso(now: number): string {
  const ms = ((now % 1000) + 1000) % 1000
  if (now - ms !== second) {
    second = now - ms
    prefix = new Date(second).toISOString().slice(0, 20)
  }
  return `${prefix}${`${ms}`.padStart(3, '0')}Z`
}
