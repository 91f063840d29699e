import {
  isText,
  moment,
  borders,
  wholes,
  truncate,
  numberOf,
  mysqlFormat,
  formatted,
  secondsOf,
  type Meaning,
  type Meanings,
} from './times.js'
import {
  nullIfAny,
  noneAtZero,
  groupIn,
  hostOf,
  replaceAll,
  byFilter,
  roundEven,
  numbers,
  cutWhole,
  renamed,
  listed,
  ofEach,
  withoutFraction,
} from './texts.js'

/** ClickHouse's functions that go from a time by a number of units. */
const later = (names: string): Meanings =>
  Object.fromEntries(
    names.split(' ').map((each) => {
      const [name, [sign, ...unit]] = each.split('=') as [string, string]
      return [name, (time: string, n: string) => `(${moment(time)} ${sign} to_${unit.join('')}(${n}))`]
    }),
  )

/** ClickHouse's functions that give the start of a unit. */
const starts = (units: string): Meanings =>
  Object.fromEntries(
    units.split(' ').map((unit) => [`tostartof${unit}`, (time: string) => truncate()(unit, time)]),
  )

/** The path of keys, which are texts, or places that count from 1. */
const jsonPath = (keys: readonly string[]): string => {
  const steps = keys.map((key) => (/^\d+$/.test(key) ? `'[${Number(key) - 1}]'` : `'."' || ${key} || '"'`))
  return `'$' || ${steps.join(' || ')}`
}
const jsonNumber =
  (type: 'BIGINT' | 'DOUBLE'): Meaning =>
  (json, ...keys) => {
    const text = `json_extract_string(${json}, ${jsonPath(keys)})`
    return `coalesce(TRY_CAST(${type === 'BIGINT' ? withoutFraction(text) : text} AS ${type}), 0)`
  }

const wholeOrNull = (text: string) =>
  `CASE WHEN NOT regexp_matches(CAST(${text} AS VARCHAR), '[.eE]') THEN TRY_CAST(${text} AS BIGINT) END`

const onEach =
  (name: string, write = (found: string) => found): Meaning =>
  (change, list) => {
    const found = ofEach(name)(list, change)
    return found && write(found)
  }

/** What ClickHouse's functions mean that the transpiler does not know, or takes for others. */
export const clickhouse: Meanings = {
  ...renamed(
    'arrayjoin=unnest arraydistinct=list_distinct arrayelement=list_extract arraysort=list_sort has=list_contains',
  ),
  ...renamed('arraystringconcat=array_to_string'),
  ...renamed('lengthutf8=length match=regexp_matches modulo=mod'),
  ...renamed('replaceall=replace replaceregexpone=regexp_replace'),
  ...renamed(
    'stddevpop=stddev_pop stddevsamp=stddev_samp todate=date todayofmonth=day todayofyear=dayofyear',
  ),
  ...renamed('tohour=hour toisoweek=weekofyear tominute=minute tomonth=month toquarter=quarter toyear=year'),
  ...renamed('trimboth=trim varpop=var_pop varsamp=var_samp'),
  ...later(
    'adddays=+days addhours=+hours addminutes=+minutes addmonths=+months addweeks=+weeks addyears=+years',
  ),
  ...later('subtractdays=-days subtracthours=-hours subtractminutes=-minutes subtractmonths=-months'),
  ...starts('year quarter month day hour minute second'),
  ...Object.fromEntries(
    [8, 16, 32, 64].flatMap((bits, at) => {
      const type = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT'][at]!
      const to = (whole: string) => (value: string) =>
        cutWhole(value, { cast: 'CAST', type: whole, cut: numbers })
      return [
        [`toint${bits}`, to(type)],
        [`touint${bits}`, to(`U${type}`)],
      ]
    }),
  ),
  age: wholes,
  anylast: listed('last'),
  'anylast over': (value) => `last_value(${value} IGNORE NULLS)`,
  arraycount: onEach('list_filter', (found) => `len(${found})`),
  arrayexists: onEach('list_filter', (found) => `(len(${found}) > 0)`),
  arrayfilter: onEach('list_filter'),
  arraymap: onEach('list_transform'),
  arraysum: (list) => `coalesce(list_sum(${list}), 0)`,
  avgif: byFilter('avg'),
  bitand: (a, b) => `(${a} & ${b})`,
  concat: nullIfAny('concat'),
  datediff: borders(),
  date_diff: borders(),
  domain: (url) =>
    `coalesce(nullif(${hostOf(url)}, ''), regexp_extract(${url}, '^[^:/?#@\\s]+\\.[^:/?#@\\s]+'))`,
  extract: (text, pattern) =>
    isText(pattern) ? `regexp_extract(${text}, ${pattern}, ${groupIn(pattern)})` : undefined,
  extractall: (text, pattern) =>
    isText(pattern) ? `regexp_extract_all(${text}, ${pattern}, ${groupIn(pattern)})` : undefined,
  fromunixtimestamp: (seconds) => `CAST(to_timestamp(${seconds}) AS TIMESTAMP)`,
  formatdatetime: formatted(mysqlFormat),
  grouparray: listed('list'),
  groupuniqarray: listed('list', 'DISTINCT '),
  indexof: (list, item) => `coalesce(list_position(${list}, ${item}), 0)`,
  intdiv: (a, b) => `(${a} // ${b})`,
  jsonextractfloat: jsonNumber('DOUBLE'),
  jsonextractint: jsonNumber('BIGINT'),
  jsonextractraw: (json, ...keys) =>
    `coalesce(CAST(json_extract(${json}, ${jsonPath(keys)}) AS VARCHAR), '')`,
  jsonextractstring: (json, ...keys) => `coalesce(json_extract_string(${json}, ${jsonPath(keys)}), '')`,
  jsonhas: (json, ...keys) => `json_exists(${json}, ${jsonPath(keys)})`,
  length: (value) =>
    `CASE typeof(${value}) WHEN 'VARCHAR' THEN strlen(CAST(${value} AS VARCHAR)) ELSE length(${value}) END`,
  maxif: byFilter('max'),
  minif: byFilter('min'),
  parsedatetimebesteffort: (time) => `CAST(${time} AS TIMESTAMP)`,
  multiif: (...args) => {
    const cases = Array.from(
      { length: args.length >> 1 },
      (_, at) => `WHEN ${args[2 * at]} THEN ${args[2 * at + 1]}`,
    )
    return `CASE ${cases.join(' ')} ELSE ${args.at(-1)} END`
  },
  replaceregexpall: replaceAll,
  round: roundEven,
  splitbychar: (by, text) => `string_split(${text}, ${by})`,
  splitbystring: (by, text) => `string_split(${text}, ${by})`,
  substr: noneAtZero,
  substring: noneAtZero,
  sumif: byFilter('sum'),
  todatetime: (time) => `CAST(${time} AS TIMESTAMP)`,
  todayofweek: (time, ...mode) => (mode.length > 0 ? undefined : `isodow(${time})`),
  tofloat64: (value) => `CAST(${value} AS DOUBLE)`,
  tofloat64orzero: (value) => `coalesce(TRY_CAST(${value} AS DOUBLE), 0)`,
  toint64ornull: wholeOrNull,
  toint64orzero: (value) => `coalesce(${wholeOrNull(value)}, 0)`,
  tomonday: (time) => truncate()('week', time),
  tostartoffifteenminutes: (time) => `time_bucket(INTERVAL 15 MINUTE, ${moment(time)})`,
  tostartoffiveminutes: (time) => `time_bucket(INTERVAL 5 MINUTE, ${moment(time)})`,
  tostartofinterval: (time, interval, ...more) =>
    more.length === 0 &&
    /^\(?INTERVAL '?\d+'? (?:SECOND|MINUTE|DAY)S?\)?$|^\(?INTERVAL '?(?:[123468]|12|24)'? HOURS?\)?$/i.test(
      interval,
    )
      ? `time_bucket(${interval}, ${moment(time)}, TIMESTAMP '1970-01-01')`
      : undefined,
  tostartofweek: (time, mode = '0') =>
    /^\d$/.test(mode) ? truncate(1 - (Number(mode) % 2))('week', time) : undefined,
  tostring: (value) => `CAST(${value} AS VARCHAR)`,
  tounixtimestamp: (time) => secondsOf(moment(time)),
  toyyyymm: (time) => numberOf(time, '%Y%m'),
  toyyyymmdd: (time) => numberOf(time, '%Y%m%d'),
  uniqexact: (...args) => `count(DISTINCT ${args.join(', ')})`,
  uniqexactif: (value, condition) => `count(DISTINCT ${value}) FILTER (WHERE ${condition})`,
  uniqif: (value, condition) => `count(DISTINCT ${value}) FILTER (WHERE ${condition})`,
}
