import { clickhouse } from './clickhouse.js'
import type { Dialect } from './dialects.js'
import {
  isText,
  moment,
  borders,
  wholes,
  truncate,
  numberOf,
  extract,
  dayFromSunday,
  dayFromMonday,
  weekOfFirst,
  ofTime,
  ofTimes,
  mysqlFormat,
  addMonths,
  javaFormat,
  addTo,
  oracleUnits,
  isTime,
  sqliteTime,
  formatted,
  changed,
  convertTime,
  inZone,
  extractInZone,
  type Meanings,
} from './times.js'
import {
  nullIfAny,
  parts,
  renamed,
  fromOne,
  noneAtZero,
  beforeFirst,
  fromBefore,
  firstMatch,
  groupIn,
  matchAt,
  anyCase,
  bytesOf,
  countMatches,
  hostOf,
  folded,
  replaceAll,
  substringIndex,
  replaceByGroups,
  listed,
  roundEven,
  matchList,
  splitOrNone,
  sortNullsFirst,
  sqliteType,
} from './texts.js'

const spark: Meanings = {
  ...ofTimes('dayofmonth dayofyear last_day quarter weekofyear'),
  ...parts,
  ...renamed(
    'array_join=array_to_string array_size=len sequence=generate_series timestamp_seconds=to_timestamp',
  ),
  ...renamed('element_at=list_extract get_json_object=json_extract_string transform=list_transform'),
  aggregate: folded,
  bround: roundEven,
  collect_set: listed('DISTINCT '),
  concat: nullIfAny('concat'),
  date_add: addTo('+'),
  date_sub: addTo('-'),
  percentile: (value, share) => `quantile_cont(${value}, ${share})`,
  date_format: formatted(javaFormat),
  dayofweek: dayFromSunday,
  extract: extract({
    dayofweek: dayFromSunday,
    dow: dayFromSunday,
    dayofweek_iso: (time) => `isodow(${time})`,
  }),
  pmod: (a, b) => `((${a} % ${b} + ${b}) % ${b})`,
  regexp_replace: replaceByGroups('g'),
  sort_array: sortNullsFirst,
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
    ...renamed('format=printf json_value=json_extract_string regexp_contains=regexp_matches'),
    ...parts,
    byte_length: bytesOf,
    concat: nullIfAny('concat'),
    date: (time, ...[zone, ...more]) => {
      if (zone === undefined) return `CAST(${time} AS DATE)`
      if (more.length > 0) return `make_date(${[time, zone, ...more].join(', ')})`
      return `CAST(${inZone(time, zone)} AS DATE)`
    },
    date_diff: (to, from, unit) => borders(1)(unit, from, to),
    date_trunc: (time, unit) => truncate(1)(unit, time),
    datetime_diff: (to, from, unit) => borders(1)(unit, from, to),
    datetime_trunc: (time, unit) => truncate(1)(unit, time),
    extract: extractInZone({
      date: (time) => `CAST(${time} AS DATE)`,
      time: (time) => `CAST(${time} AS TIME)`,
      dayofweek: dayFromSunday,
      isoweek: (time) => `weekofyear(${time})`,
      week: (time) => numberOf(time, '%U'),
      'week sunday': (time) => numberOf(time, '%U'),
      'week monday': (time) => numberOf(time, '%W'),
    }),
    format_timestamp: (format, time, zone) => `strftime(${inZone(time, zone)}, ${format})`,
    greatest: nullIfAny('greatest'),
    least: nullIfAny('least'),
    regexp_extract: (text, pattern, ...more) =>
      more.length > 0 || !isText(pattern) ? undefined : firstMatch(text, pattern, groupIn(pattern)),
    regexp_replace: replaceAll,
    substr: fromOne,
    substring: fromOne,
    timestamp_diff: (to, from, unit) => wholes(unit, from, to),
    timestamp_trunc: (time, unit, ...zone) => truncate(1)(unit, time, ...zone),
  },
  clickhouse,
  databricks: { ...spark, datediff: wholes },
  mysql: {
    ...renamed('json_value=json_extract_string'),
    ...parts,
    ...renamed(
      'adddate=date_add json_length=json_array_length std=stddev_pop stddev=stddev_pop variance=var_pop',
    ),
    ...ofTimes('dayname dayofmonth dayofyear hour last_day minute month monthname quarter second year'),
    concat: nullIfAny('concat'),
    date_format: formatted(mysqlFormat),
    dayofweek: dayFromSunday,
    field: (item, ...items) => `coalesce(list_position([${items.join(', ')}], ${item}), 0)`,
    greatest: nullIfAny('greatest'),
    instr: (text, part) => `strpos(lower(${text}), lower(${part}))`,
    json_unquote: (json) => `json_extract_string(${json}, '$')`,
    least: nullIfAny('least'),
    length: bytesOf,
    find_in_set: (item, items) => `coalesce(list_position(string_split(${items}, ','), ${item}), 0)`,
    locate: (part, text, ...from) => (from.length > 0 ? undefined : `strpos(lower(${text}), lower(${part}))`),
    mid: noneAtZero,
    regexp_like: (text, pattern, flags = `'i'`) => `regexp_matches(${text}, ${pattern}, ${flags})`,
    regexp_replace: replaceByGroups('gi'),
    regexp_substr: (text, pattern, ...more) => matchAt(text, anyCase(pattern), ...more),
    str_to_date: (text, format) => mysqlFormat(format) && `try_strptime(${text}, ${mysqlFormat(format)!})`,
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
    ...renamed('json_value=json_extract_string stats_mode=mode'),
    add_months: addMonths,
    greatest: nullIfAny('greatest'),
    least: nullIfAny('least'),
    lengthb: bytesOf,
    lpad: (text, length, by = "' '") => `lpad(${text}, ${length}, ${by})`,
    regexp_count: countMatches,
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
  postgresql: {
    ...renamed('btrim=trim jsonb_array_length=json_array_length'),
    array_length: (list, at) => `nullif(array_length(${list}, ${at}), 0)`,
    octet_length: bytesOf,
    regexp_match: matchList,
    string_to_array: splitOrNone,
    substr: beforeFirst,
    substring: beforeFirst,
  },
  redshift: {
    ...renamed('btrim=trim'),
    add_months: addMonths,
    json_extract_array_element_text: (json, place) => `json_extract_string(${json}, '$[' || ${place} || ']')`,
    regexp_count: countMatches,
    trunc: (value, ...more) =>
      more.length === 0 && isTime(value) ? `CAST(${value} AS DATE)` : `trunc(${[value, ...more].join(', ')})`,
    concat: nullIfAny('concat'),
    datediff: borders(),
    date_diff: borders(),
    regexp_replace: replaceByGroups('g'),
    regexp_substr: matchAt,
    substr: beforeFirst,
    substring: beforeFirst,
  },
  snowflake: {
    ...renamed('regexp_like=regexp_full_match rlike=regexp_full_match'),
    ...parts,
    add_months: addMonths,
    concat: nullIfAny('concat'),
    concat_ws: nullIfAny('concat_ws'),
    datediff: borders(),
    timediff: borders(),
    timestampdiff: borders(),
    greatest: nullIfAny('greatest'),
    least: nullIfAny('least'),
    regexp_substr: matchAt,
    substr: fromOne,
    substring: fromOne,
    try_to_number: (text, ...more) => (more.length > 0 ? undefined : `TRY_CAST(${text} AS DECIMAL(38, 0))`),
  },
  spark,
  sqlite: {
    ...renamed('concat=concat group_concat=string_agg json_extract=json_extract_string format=printf'),
    json_type: (...json) =>
      sqliteType(`json_type(${json.join(', ')})`, `json_extract_string(${json.join(', ')})`),
    julianday: (time) => `(julian(${moment(time)}) - 0.5)`,
    max: (one, another, ...more) => nullIfAny('greatest')(one, another, ...more),
    min: (one, another, ...more) => nullIfAny('least')(one, another, ...more),
    date: changed((at) => `CAST(${at} AS DATE)`),
    datetime: changed((at) => `date_trunc('second', ${at})`),
    length: (text) => `length(CAST(${text} AS VARCHAR))`,
    strftime: (format, time, ...changes) => {
      const at = sqliteTime(time, changes)
      if (at === undefined || !isText(format)) return undefined
      if (format === "'%s'") return `CAST(epoch(${at}) AS BIGINT)`
      return `strftime(${at}, ${format.replaceAll(/%(.)/g, (all, letter) => (letter === 'f' ? '%S.%g' : all))})`
    },
    substr: fromBefore,
    substring: fromBefore,
    typeof: (value) => `CASE WHEN ${value} IS NULL THEN 'null' ELSE ${sqliteType(`typeof(${value})`)} END`,
    time: changed((at) => `CAST(date_trunc('second', ${at}) AS TIME)`),
    total: (value) => `coalesce(sum(CAST(${value} AS DOUBLE)), 0)`,
    unixepoch: (time) => `CAST(epoch(${moment(time)}) AS BIGINT)`,
  },
  trino: {
    ...renamed('element_at=list_extract'),
    ...renamed('approx_percentile=approx_quantile array_join=array_to_string codepoint=unicode'),
    ...renamed('sequence=generate_series transform=list_transform'),
    concat: nullIfAny('concat'),
    date_diff: wholes,
    extract: extract({ dow: (time) => `isodow(${time})`, day_of_week: (time) => `isodow(${time})` }),
    format_datetime: formatted(javaFormat),
    greatest: nullIfAny('greatest'),
    least: nullIfAny('least'),
    reduce: (list, first, merge, ...[end = '']) =>
      /^\(?(\w+) -> \1\)?$/.test(end) ? folded(list, first, merge) : undefined,
    slice: (list, start, length) =>
      /^[1-9]\d*$/.test(start) ? `${list}[${start}:${start} + ${length} - 1]` : undefined,
    substr: noneAtZero,
    substring: noneAtZero,
    url_extract_host: (url) => `nullif(${hostOf(url)}, '')`,
    year_of_week: ofTime('isoyear'),
  },
  tsql: {
    ...renamed('json_value=json_extract_string'),
    ...parts,
    ...renamed('stdev=stddev_samp stdevp=stddev_pop varp=var_pop'),
    charindex: (part, text, ...[from]) => {
      if (from === undefined) return `strpos(lower(${text}), lower(${part}))`
      const found = `strpos(lower(substring(${text}, ${from})), lower(${part}))`
      return `CASE ${found} WHEN 0 THEN 0 ELSE ${found} + ${from} - 1 END`
    },
    convert: convertTime,
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
    date_bucket: (part, n, time, ...more) =>
      more.length > 0 || !/^\d+$/.test(n)
        ? undefined
        : `time_bucket(INTERVAL ${n} ${part}, ${moment(time)}, TIMESTAMP '1900-01-01')`,
    format: formatted(javaFormat),
    isjson: (text) => `CAST(json_valid(${text}) AS INT)`,
    len: (text) => `length(rtrim(${text}))`,
    log: (value, ...[base]) => (base === undefined ? `ln(${value})` : `log(${base}, ${value})`),
    replace: (text, part, by) =>
      `regexp_replace(${text}, regexp_escape(${part}), replace(${by}, '\\', '\\\\'), 'gi')`,
    round: (value, digits, ...[cut = '0']) => `${cut === '0' ? 'round' : 'trunc'}(${value}, ${digits})`,
    substring: beforeFirst,
  },
}

/** What a call of `waymark_` means that stands for an operator. */
export const operatorMeanings: Meanings = {
  at: (list, place) => `${list}[${place} + 1]`,
  // Oracle's `||` takes NULL for nothing.
  text: (value) => (isText(value) ? value : `coalesce(CAST(${value} AS VARCHAR), '')`),
}
