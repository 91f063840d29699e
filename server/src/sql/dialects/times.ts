/**
 * What a call means, in DuckDB's SQL, by its arguments in DuckDB's SQL; undefined where nothing means the same. An
 * argument that is more than a name or a text is in brackets.
 */
export type Meaning = (...args: string[]) => string | undefined

export type Meanings = Readonly<Record<string, Meaning>>

export const isText = (argument: string) => /^'(?:[^']|'')*'$/.test(argument)

/** A written time, as a time: `date_diff` takes no text. */
export const moment = (argument: string) => (isText(argument) ? `TIMESTAMP ${argument}` : argument)

const unitNames: Readonly<Record<string, string>> = {
  year: 'y yy yyy yyyy yr years yrs',
  quarter: 'q qq qtr qtrs quarters',
  month: 'm mm mon mons months',
  week: 'w wk ww weekofyear woy wy weeks',
  day: 'd dd dy dayofyear dayofmonth doy days weekday dw',
  hour: 'h hh hr hours hrs',
  minute: 'mi n min mins minutes',
  second: 's ss sec secs seconds',
  millisecond: 'ms msec milliseconds',
  microsecond: 'us usec mcs microseconds',
}

const units = new Map(
  Object.entries(unitNames).flatMap(([unit, others]) => [
    [unit, unit] as const,
    ...others.split(' ').map((each) => [each, unit] as const),
  ]),
)

/** How many days after its first day a week of DuckDB's begins, which begins on Monday. */
const weekStarts: Readonly<Record<string, number>> = {
  sunday: 1,
  monday: 0,
  tuesday: -1,
  wednesday: -2,
  thursday: -3,
  friday: -4,
  saturday: 2,
}

/** A unit as it is written, and the days by which its week begins earlier. */
const readUnit = (argument: string, week: number) => {
  const written = argument
    .replaceAll(/['"()\s]/g, ' ')
    .trim()
    .toLowerCase()
  const [name = '', start] = written.split(/ +/)
  const unit = units.get(name.replace(/^(?:iso_?|sql_tsi_)/, ''))
  const shift = start === undefined ? (name.startsWith('iso') ? 0 : week) : weekStarts[start]
  return unit === undefined || shift === undefined ? undefined : { unit, shift: unit === 'week' ? shift : 0 }
}

const later = (argument: string, days: number) =>
  days === 0 ? moment(argument) : `(${moment(argument)} + INTERVAL (${days}) DAY)`

/** How many borders of a unit are between two times. `week` is 1 where weeks begin on Sunday. */
export const borders =
  (week = 0): Meaning =>
  (unit, from, to) => {
    const read = readUnit(unit, week)
    if (read?.unit !== 'week') return read && `date_diff('${read.unit}', ${moment(from)}, ${moment(to)})`
    // DuckDB's `date_diff` counts other weeks.
    const [first, last] = [from, to].map((time) => `date_trunc('week', ${later(time, read.shift)})`)
    return `(date_diff('day', ${first}, ${last}) // 7)`
  }

/** How many whole units are between two times. */
export const wholes: Meaning = (unit, from, to) => {
  const read = readUnit(unit, 0)
  return read && `date_sub('${read.unit}', ${moment(from)}, ${moment(to)})`
}

/** The clock of a zone at a time that is a moment. */
export const inZone = (time: string, zone: string) => `(CAST(${time} AS TIMESTAMPTZ) AT TIME ZONE ${zone})`

export const truncate =
  (week = 0): Meaning =>
  (unit, time, ...zones) => {
    const [zone] = zones
    const read = readUnit(unit, week)
    if (read === undefined) return undefined
    const local = zone === undefined ? time : inZone(time, zone)
    const cut = `date_trunc('${read.unit}', ${later(local, read.shift)})`
    const back = read.shift === 0 ? cut : `(${cut} - INTERVAL (${read.shift}) DAY)`
    return zone === undefined ? back : `(${back} AT TIME ZONE ${zone})`
  }

/** The seconds since 1970, without a fraction. */
export const secondsOf = (time: string) => `CAST(floor(epoch(${time})) AS BIGINT)`

/** The number in a text that strftime writes. */
export const numberOf = (time: string, format: string) =>
  `CAST(strftime(${moment(time)}, '${format}') AS INTEGER)`

/** Parts of a time that DuckDB counts in another way; the others as `extract` has them. */
export const extract =
  (own: Readonly<Record<string, (time: string) => string>>): Meaning =>
  (part, time) => {
    const name = part
      .replaceAll(/[()\s']/g, ' ')
      .trim()
      .toLowerCase()
    return Object.hasOwn(own, name) ? own[name]!(time) : `extract(${name} FROM ${moment(time)})`
  }

export const dayFromSunday = (time: string) => `(dayofweek(${moment(time)}) + 1)`

export const dayFromMonday = (time: string) => `(isodow(${moment(time)}) - 1)`

/** The week of a year whose first week has its first day, and whose weeks begin on Sunday. */
export const weekOfFirst = (time: string) =>
  `(${borders(1)('week', `date_trunc('year', ${moment(time)})`, time)!} + 1)`

/** A call about a time, which may be a written one. */
export const ofTime =
  (name: string): Meaning =>
  (time, ...more) =>
    `${name}(${[moment(time), ...more].join(', ')})`

export const ofTimes = (names: string): Meanings =>
  Object.fromEntries(names.split(' ').map((name) => [name, ofTime(name)]))

/** What MySQL's formats of times are called by strftime, where it calls them otherwise. */
const mysqlElements: Readonly<Record<string, string>> = {
  M: '%B',
  T: '%H:%M:%S',
  W: '%A',
  c: '%-m',
  e: '%-d',
  h: '%I',
  i: '%M',
  k: '%-H',
  l: '%-I',
  r: '%I:%M:%S %p',
  s: '%S',
  v: '%V',
  x: '%G',
}

/** A written format in strftime's form; undefined for one that is not written, or has a part that strftime lacks. */
export const mysqlFormat = (format: string): string | undefined =>
  isText(format) && !/%[^aAbBcdefhHiIjklmMprsSTUvwWxyY%]/.test(format)
    ? format.replaceAll(/%(.)/g, (all, letter: string) => mysqlElements[letter] ?? all)
    : undefined

/** The last day of a month stays the last day. */
export const addMonths: Meaning = (time, n) => {
  const then = `(${moment(time)} + to_months(${n}))`
  const last = `(day(last_day(${moment(time)})) = day(${moment(time)}))`
  return `(${then} + to_days(CASE WHEN ${last} THEN day(last_day(${then})) - day(${then}) ELSE 0 END))`
}

/** What strftime calls the elements of formats that Java and .NET have in common. */
const elements: Readonly<Record<string, string>> = {
  y: '%Y',
  yyyy: '%Y',
  yy: '%y',
  M: '%-m',
  MM: '%m',
  MMM: '%b',
  MMMM: '%B',
  d: '%-d',
  dd: '%d',
  H: '%-H',
  HH: '%H',
  h: '%-I',
  hh: '%I',
  mm: '%M',
  ss: '%S',
}

const readLetters = (own: Readonly<Record<string, string>>) => (format: string) => {
  if (!isText(format) || format.includes("''") || /[%\\]/.test(format)) return undefined
  const known = { ...elements, ...own }
  let isKnown = true
  const written = format.replaceAll(/([A-Za-z])\1*/g, (letters) => {
    isKnown &&= Object.hasOwn(known, letters)
    return known[letters] ?? ''
  })
  return isKnown ? written : undefined
}

export const javaFormat = readLetters({
  D: '%-j',
  E: '%a',
  EEE: '%a',
  EEEE: '%A',
  SSS: '%g',
  a: '%p',
})

const readTsql = readLetters({ T: 'T', ddd: '%a', dddd: '%A', fff: '%g', ffffff: '%f', tt: '%p' })
/** A letter alone is a whole format in T-SQL. */
export const tsqlFormat = (format: string) => (/^'.'$/.test(format) ? undefined : readTsql(format))

/** Days and a number, or a unit, a number and a time, as Databricks has it, too. */
export const addTo =
  (sign: '+' | '-'): Meaning =>
  (first, n, ...[time]) => {
    if (time === undefined) return `(CAST(${first} AS DATE) ${sign} CAST(${n} AS INTEGER))`
    const read = readUnit(first, 0)
    return read && `(${moment(time)} ${sign} to_${read.unit}s(CAST(${n} AS INTEGER)))`
  }

/** Numbers are cut, too, so a time is told from them by how it is written. */
export const isTime = (value: string) =>
  /^\(?(?:CAST\(.* AS (?:DATE|TIMESTAMP\w*)\)|CURRENT_(?:DATE|TIMESTAMP)(?: AT TIME ZONE 'UTC')?|(?:[\w.]*[._])?(?:at|date|datetime|on|time|timestamp|ts))\)?$/i.test(
    value,
  )

/** The units of Oracle's TRUNC: its `D` is the first day of a week, which depends on the country. */
const oracleUnits = new Map<string, string>(
  Object.entries({
    year: 'yyyy yyy yy y year syear syyyy',
    quarter: 'q',
    month: 'mm mon month rm',
    isoweek: 'iw',
    day: 'dd ddd j',
    hour: 'hh hh12 hh24',
    minute: 'mi',
  }).flatMap(([unit, others]) => others.split(' ').map((each) => [`'${each}'`, unit] as const)),
)

export const oracleTrunc: Meaning = (value, ...[unit]) => {
  if (unit === undefined) return isTime(value) ? `date_trunc('day', ${value})` : `trunc(${value})`
  if (!isText(unit)) return `trunc(${value}, ${unit})`
  const known = oracleUnits.get(unit.toLowerCase())
  return known && truncate()(known, value)
}

export const datename: Meaning = (part, time) =>
  ({ month: `monthname(${time})`, weekday: `dayname(${time})`, dw: `dayname(${time})` })[part.toLowerCase()]

/** A time after one of SQLite's changes; undefined for one that is not known. */
const changeTime = (time: string, change: string): string | undefined => {
  const start = /^'start of (day|month|year)'$/i.exec(change)?.[1]
  if (start !== undefined) return `date_trunc('${start}', ${time})`
  const weekday = /^'weekday ([0-6])'$/i.exec(change)?.[1]
  if (weekday !== undefined)
    return `(${time} + to_days(CAST((${weekday} - dayofweek(${time}) + 7) % 7 AS INT)))`
  const [, sign = '+', n, unit = ''] =
    /^'([-+])?(\d+) (second|minute|hour|day|month|year)s?'$/i.exec(change) ?? []
  if (n === undefined) return undefined
  const by = `INTERVAL ${n} ${unit.toUpperCase()}`
  if (!/^(?:month|year)$/i.test(unit)) return `(${time} ${sign} ${by})`
  // The day of the month goes on into the next one where the month is shorter.
  const month = `date_trunc('month', ${time})`
  return `(${month} ${sign} ${by} + (${time} - ${month}))`
}

/** A time of SQLite with its changes, such as '-7 days'. */
export const sqliteTime = (time: string, changes: readonly string[]): string | undefined => {
  const [first, ...others] = changes
  const isEpoch = first?.toLowerCase() === "'unixepoch'"
  const start = isEpoch
    ? `CAST(to_timestamp(${time}) AS TIMESTAMP)`
    : `CAST(${time === "'now'" ? 'now()' : moment(time)} AS TIMESTAMP)`
  return (isEpoch ? others : changes).reduce<string | undefined>(
    (at, change) => at && changeTime(at, change),
    start,
  )
}

/** Writes a time in a format that `read` makes strftime's. */
export const formatted =
  (read: (format: string) => string | undefined): Meaning =>
  (time, format) => {
    const written = read(format)
    return written && `strftime(${moment(time)}, ${written})`
  }

/** What `write` makes of a time of SQLite with its changes. */
export const changed =
  (write: (time: string) => string): Meaning =>
  (time, ...changes) => {
    const at = sqliteTime(time, changes)
    return at && write(at)
  }

/** How CONVERT of T-SQL writes a time, by its styles. */
const tsqlStyles: Readonly<Record<string, string>> = {
  23: '%Y-%m-%d',
  101: '%m/%d/%Y',
  103: '%d/%m/%Y',
  104: '%d.%m.%Y',
  110: '%m-%d-%Y',
  112: '%Y%m%d',
  120: '%Y-%m-%d %H:%M:%S',
  126: '%Y-%m-%dT%H:%M:%S.%g',
}

export const convertTime: Meaning = (type, value, style) => {
  const format = tsqlStyles[style]
  const [written, length = '30'] = /^\(?N?(?:VAR)?CHAR(?:\((\d+)\))?\)?$/i.exec(type) ?? []
  if (format === undefined) return undefined
  if (written !== undefined)
    return `left(regexp_replace(strftime(${moment(value)}, '${format}'), '\\.000$', ''), ${length})`
  return /^date$/i.test(type) && isText(value) ? `CAST(strptime(${value}, '${format}') AS DATE)` : undefined
}

export const extractInZone =
  (...[own]: Parameters<typeof extract>): Meaning =>
  (part, time) => {
    const [, at, zone] = /^\((.*) AT TIME ZONE ('[^']*'|\w+)\)$/s.exec(time) ?? []
    return extract(own)(part, zone === undefined ? time : inZone(at!, zone))
  }
