import type { Dialect } from './dialects.js'
import {
  addMonths,
  addTo,
  borders,
  dayFromMonday,
  dayFromSunday,
  extract,
  isText,
  isTime,
  javaFormat,
  moment,
  mysqlFormat,
  numberOf,
  ofTime,
  ofTimes,
  oracleUnits,
  truncate,
  weekOfFirst,
  wholes,
  type Meaning,
  type Meanings,
} from './times.js'

const isConstant = (argument: string) => isText(argument) || /^\(?-?\d+(?:\.\d+)?\)?$/.test(argument)

/** NULL where one of the arguments is. */
const nullIfAny =
  (name: string): Meaning =>
  (...args) => {
    const call = `${name}(${args.join(', ')})`
    const unsure = args.filter((each) => !isConstant(each))
    if (unsure.length === 0) return call
    return `CASE WHEN ${unsure.map((each) => `${each} IS NULL`).join(' OR ')} THEN NULL ELSE ${call} END`
  }

/** Where the place 0 counts as 1. */
const fromOne: Meaning = (text, place, ...length) =>
  `substring(${[text, /^\d+$/.test(place) ? String(Math.max(1, Number(place))) : `CASE ${place} WHEN 0 THEN 1 ELSE ${place} END`, ...length].join(', ')})`

/** Where nothing stands at the place 0. */
const noneAtZero: Meaning = (text, place, ...length) =>
  /^[1-9]\d*$/.test(place)
    ? `substring(${[text, place, ...length].join(', ')})`
    : `CASE ${place} WHEN 0 THEN '' ELSE substring(${[text, place, ...length].join(', ')}) END`

/** Where a place before the first counts as a place, and its characters are none. */
const beforeFirst: Meaning = (text, place, ...more) => {
  const [length] = more
  const rest = length === undefined ? '' : `, greatest(0, ${length} + least(${place} - 1, 0))`
  return /^[1-9]\d*$/.test(place)
    ? `substring(${[text, place, ...more].join(', ')})`
    : `substring(${text}, greatest(${place}, 1)${rest})`
}

/** Where the place 0 is before the first, and others are from the end. */
const fromBefore: Meaning = (text, place, ...length) => {
  const usual = `substring(${[text, place, ...length].join(', ')})`
  if (/^\(?-?[1-9]\d*\)?$/.test(place) || length.length === 0) return usual
  return `CASE ${place} WHEN 0 THEN left(${text}, greatest(${length[0]} - 1, 0)) ELSE ${usual} END`
}

/** The first match of a pattern, or of its group; NULL where there is none. */
const firstMatch = (text: string, pattern: string, group: string) =>
  `CASE WHEN regexp_matches(${text}, ${pattern}) THEN regexp_extract(${text}, ${pattern}, ${group}) END`

/** The group that is meant where there is one. */
const groupIn = (pattern: string) => (/(?<!\\)\((?!\?)/.test(pattern) ? '1' : '0')

/** The first match in dialects that take a place, a number and flags, of which only the usual ones mean something here. */
const matchAt: Meaning = (text, pattern, ...[place = '1', nth = '1', flags = "'c'", group = '0']) => {
  if (place !== '1' || nth !== '1' || !/^'[ce]*'$/.test(flags)) return undefined
  return firstMatch(text, pattern, flags.includes('e') && group === '0' ? '1' : group)
}

const anyCase = (pattern: string) =>
  isText(pattern) ? `'(?i)${pattern.slice(1)}` : `concat('(?i)', ${pattern})`

const named =
  (name: string): Meaning =>
  (...args) =>
    `${name}(${args.join(', ')})`

const replaceAll: Meaning = (text, pattern, by) => `regexp_replace(${text}, ${pattern}, ${by}, 'g')`

const substringIndex: Meaning = (text, by, n) => {
  const items = /^\(?-\d+\)?$/.test(n) ? `${n}:` : /^\d+$/.test(n) ? `:${n}` : undefined
  return items && `array_to_string(string_split(${text}, ${by})[${items}], ${by})`
}

const byFilter =
  (name: string): Meaning =>
  (value, condition) =>
    `${name}(${value}) FILTER (WHERE ${condition})`

const spark: Meanings = {
  concat: nullIfAny('concat'),
  date_add: addTo('+'),
  date_sub: addTo('-'),
  percentile: (value, share) => `quantile_cont(${value}, ${share})`,
  date_format: (time, format) => {
    const written = javaFormat(format)
    return written && `strftime(${moment(time)}, ${written})`
  },
  dayofweek: dayFromSunday,
  element_at: named('list_extract'),
  extract: extract({
    dayofweek: dayFromSunday,
    dow: dayFromSunday,
    dayofweek_iso: (time) => `isodow(${time})`,
  }),
  get_json_object: named('json_extract_string'),
  regexp_replace: replaceAll,
  substr: fromOne,
  substring: fromOne,
  substring_index: substringIndex,
  timestampdiff: wholes,
  trunc: (time, unit) => truncate()(unit, time),
  weekday: dayFromMonday,
}

/** Calls that the transpiler would leave as they are, or translate to another meaning. */
export const meanings: Readonly<Record<Dialect, Meanings>> = {
  bigquery: {
    concat: nullIfAny('concat'),
    date_diff: (to, from, unit) => borders(1)(unit, from, to),
    date_trunc: (time, unit) => truncate(1)(unit, time),
    datetime_diff: (to, from, unit) => borders(1)(unit, from, to),
    datetime_trunc: (time, unit) => truncate(1)(unit, time),
    extract: extract({
      date: (time) => `CAST(${time} AS DATE)`,
      time: (time) => `CAST(${time} AS TIME)`,
      dayofweek: dayFromSunday,
      isoweek: (time) => `weekofyear(${time})`,
      week: (time) => numberOf(time, '%U'),
      'week sunday': (time) => numberOf(time, '%U'),
      'week monday': (time) => numberOf(time, '%W'),
    }),
    format: named('printf'),
    greatest: nullIfAny('greatest'),
    json_value: named('json_extract_string'),
    least: nullIfAny('least'),
    regexp_contains: named('regexp_matches'),
    regexp_extract: (text, pattern, ...more) =>
      more.length > 0 || !isText(pattern) ? undefined : firstMatch(text, pattern, groupIn(pattern)),
    regexp_replace: replaceAll,
    substr: fromOne,
    substring: fromOne,
    timestamp_diff: (to, from, unit) => wholes(unit, from, to),
    timestamp_trunc: (time, unit, ...zone) => truncate(1)(unit, time, ...zone),
  },
  clickhouse: {
    adddays: (time, n) => `(${time} + to_days(${n}))`,
    addmonths: (time, n) => `(${time} + to_months(${n}))`,
    age: wholes,
    avgif: byFilter('avg'),
    concat: nullIfAny('concat'),
    datediff: borders(),
    date_diff: borders(),
    formatdatetime: (time, format) => {
      const written = mysqlFormat(format)
      return written && `strftime(${time}, ${written})`
    },
    grouparray: named('list'),
    has: named('list_contains'),
    intdiv: (a, b) => `(${a} // ${b})`,
    jsonextractstring: named('json_extract_string'),
    match: named('regexp_matches'),
    replaceall: named('replace'),
    replaceregexpall: replaceAll,
    substr: noneAtZero,
    substring: noneAtZero,
    subtractdays: (time, n) => `(${time} - to_days(${n}))`,
    sumif: byFilter('sum'),
    todate: named('date'),
    todatetime: (time) => `CAST(${time} AS TIMESTAMP)`,
    todayofmonth: named('day'),
    todayofweek: named('isodow'),
    todayofyear: named('dayofyear'),
    tohour: named('hour'),
    toisoweek: named('weekofyear'),
    tomonday: (time) => truncate()('week', time),
    tomonth: named('month'),
    toquarter: named('quarter'),
    tostartofday: (time) => truncate()('day', time),
    tostartofhour: (time) => truncate()('hour', time),
    tostartofminute: (time) => truncate()('minute', time),
    tostartofmonth: (time) => truncate()('month', time),
    tostartofquarter: (time) => truncate()('quarter', time),
    tostartofweek: (time, mode = '0') => truncate(/^[02468]$/.test(mode) ? 1 : 0)('week', time),
    tostartofyear: (time) => truncate()('year', time),
    tostring: (value) => `CAST(${value} AS VARCHAR)`,
    toyear: named('year'),
    toyyyymm: (time) => numberOf(time, '%Y%m'),
    uniqexact: (...args) => `count(DISTINCT ${args.join(', ')})`,
  },
  databricks: { ...spark, datediff: wholes },
  mysql: {
    ...ofTimes('dayname dayofmonth dayofyear hour last_day minute month monthname quarter second year'),
    concat: nullIfAny('concat'),
    date_format: (time, format) => {
      const written = mysqlFormat(format)
      return written && `strftime(${moment(time)}, ${written})`
    },
    dayofweek: dayFromSunday,
    field: (item, ...items) => `coalesce(list_position([${items.join(', ')}], ${item}), 0)`,
    greatest: nullIfAny('greatest'),
    instr: (text, part) => `strpos(lower(${text}), lower(${part}))`,
    json_unquote: (json) => `json_extract_string(${json}, '$')`,
    least: nullIfAny('least'),
    locate: (part, text, ...from) => (from.length > 0 ? undefined : `strpos(lower(${text}), lower(${part}))`),
    mid: noneAtZero,
    regexp_like: (text, pattern, flags = `'i'`) => `regexp_matches(${text}, ${pattern}, ${flags})`,
    regexp_replace: (text, pattern, by, ...more) =>
      more.length > 0 ? undefined : `regexp_replace(${text}, ${pattern}, ${by}, 'gi')`,
    regexp_substr: (text, pattern, ...more) => matchAt(text, anyCase(pattern), ...more),
    str_to_date: (text, format) => {
      const written = mysqlFormat(format)
      return written && `try_strptime(${text}, ${written})`
    },
    substr: noneAtZero,
    substring: noneAtZero,
    substring_index: substringIndex,
    timestampdiff: wholes,
    week: (time, mode = '0') => ({ 0: numberOf(time, '%U'), 3: `weekofyear(${moment(time)})` })[mode],
    weekday: dayFromMonday,
    weekofyear: ofTime('weekofyear'),
    yearweek: (time, mode = '0') => (/^[13]$/.test(mode) ? numberOf(time, '%G%V') : undefined),
  },
  oracle: {
    add_months: addMonths,
    greatest: nullIfAny('greatest'),
    json_value: named('json_extract_string'),
    least: nullIfAny('least'),
    regexp_replace: replaceAll,
    regexp_substr: matchAt,
    substr: fromOne,
    trunc: (value, ...[unit]) => {
      if (unit === undefined) return isTime(value) ? `date_trunc('day', ${value})` : `trunc(${value})`
      if (!isText(unit)) return `trunc(${value}, ${unit})`
      const known = oracleUnits.get(unit.toLowerCase())
      return known && truncate()(known, value)
    },
  },
  postgresql: { substr: beforeFirst, substring: beforeFirst },
  redshift: {
    concat: nullIfAny('concat'),
    datediff: borders(),
    date_diff: borders(),
    regexp_replace: replaceAll,
    regexp_substr: matchAt,
    substr: beforeFirst,
    substring: beforeFirst,
  },
  snowflake: {
    add_months: addMonths,
    concat: nullIfAny('concat'),
    datediff: borders(),
    timediff: borders(),
    timestampdiff: borders(),
    greatest: nullIfAny('greatest'),
    least: nullIfAny('least'),
    regexp_like: named('regexp_full_match'),
    regexp_substr: matchAt,
    rlike: named('regexp_full_match'),
    substr: fromOne,
    substring: fromOne,
    try_to_number: (text, ...more) => (more.length > 0 ? undefined : `TRY_CAST(${text} AS DECIMAL(38, 0))`),
  },
  spark,
  sqlite: {
    concat: named('concat'),
    group_concat: named('string_agg'),
    json_extract: named('json_extract_string'),
    julianday: (time) => `(julian(${moment(time)}) - 0.5)`,
    max: (one, another, ...more) => nullIfAny('greatest')(one, another, ...more),
    min: (one, another, ...more) => nullIfAny('least')(one, another, ...more),
    strftime: (format, time, ...more) => {
      if (more.length > 0) return undefined
      const at = time === "'now'" ? 'now()' : moment(time)
      return format === "'%s'"
        ? `CAST(epoch(${at}) AS BIGINT)`
        : `strftime(CAST(${at} AS TIMESTAMP), ${isText(format) ? format.replaceAll(/%(.)/g, (all, letter) => (letter === 'f' ? '%S.%g' : all)) : format})`
    },
    substr: fromBefore,
    substring: fromBefore,
    unixepoch: (time) => `CAST(epoch(${moment(time)}) AS BIGINT)`,
  },
  trino: {
    approx_percentile: named('approx_quantile'),
    array_join: named('array_to_string'),
    concat: nullIfAny('concat'),
    date_diff: wholes,
    element_at: named('list_extract'),
    extract: extract({ dow: (time) => `isodow(${time})`, day_of_week: (time) => `isodow(${time})` }),
    greatest: nullIfAny('greatest'),
    least: nullIfAny('least'),
    substr: noneAtZero,
    substring: noneAtZero,
  },
  tsql: {
    datediff: borders(1),
    datediff_big: borders(1),
    datename: (part, time) =>
      ({ month: `monthname(${time})`, weekday: `dayname(${time})`, dw: `dayname(${time})` })[
        part.toLowerCase()
      ],
    datepart: extract({
      week: weekOfFirst,
      wk: weekOfFirst,
      ww: weekOfFirst,
      weekday: dayFromSunday,
      dw: dayFromSunday,
      iso_week: (time) => `weekofyear(${moment(time)})`,
    }),
    datetrunc: truncate(1),
    json_value: named('json_extract_string'),
    len: (text) => `length(rtrim(${text}))`,
    substring: beforeFirst,
  },
}

/** What a call of `waymark_` means that stands for an operator. */
export const operatorMeanings: Meanings = {
  at: (list, place) => `${list}[${place} + 1]`,
  // Oracle's `||` takes NULL for nothing.
  text: (value) => (isText(value) ? value : `coalesce(CAST(${value} AS VARCHAR), '')`),
}
