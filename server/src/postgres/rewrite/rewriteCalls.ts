import { callAt, endOfCall, type Call as PlainCall } from '../../sql/text/operands.js'
import { pg } from '../catalog/names.js'
import { toStrftime } from '../../sql/dialects/mendSource.js'
import { quoteText } from '../../duckdb/quote.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import type { Rewrite } from './Rewrite.js'

/** Functions that DuckDB has by another name. */
const synonyms: Record<string, string> = {
  jsonb_build_object: 'json_object', json_build_object: 'json_object', jsonb_build_array: 'json_array',
  json_build_array: 'json_array', to_jsonb: 'to_json',
  jsonb_extract_path: 'json_extract_path', jsonb_extract_path_text: 'json_extract_path_text', btrim: 'trim',
  jsonb_pretty: 'json_pretty', bool_and: 'bool_and', every: 'bool_and',
} // prettier-ignore

interface Call extends PlainCall {
  /** The index of the last argument's first token. */
  lastAt: number
}

const refused = (message: string) => new ProtocolError(sqlState.notSupported, message)

/** The last argument where it is a text that is written out, behind another one. */
const writtenText = (rewrite: Rewrite, { close, lastAt, open }: Call): string | undefined =>
  lastAt === close - 1 && lastAt > open + 2 ? rewrite.text(lastAt) : undefined

const numberForm = /^(FM)?([9,G]{0,50}(?:9|0[09,G]{0,50}))(?:[.D]([09]{1,30}))?$/i

/** `to_char(number, '999,990.00')`: the macro is told what the format says. */
const numberToChar = (rewrite: Rewrite, { at, lastAt }: Call, form: RegExpExecArray): void => {
  const [, fill, whole = '', fraction = ''] = form
  const groups = whole.split(/[,G]/i)
  if (groups.length > 9) throw refused('A format of to_char has eight commas at most here.')
  const places = groups.join('')
  const point = fraction === '' ? '' : `.${fraction}`
  // From the first 0 on each digit is written.
  const least = /0.*$/.exec(places)?.[0].length ?? (fraction === '' ? 1 : 0)
  const parts = [
    places.length,
    least,
    fraction.length,
    quoteText(`{:.${fraction.length}f}`),
    quoteText(`^${groups.map((group) => `(.{${group.length}})`).join('')}$`),
    quoteText(groups.map((_, nth) => `\\${nth + 1}`).join(',')),
    quoteText(`${groups.join(',')}${point}`.replaceAll(/\d/g, '#')),
    fill === undefined ? 'NULL' : fraction.lastIndexOf('0') + 1,
    whole.length + point.length + 1,
  ]
  rewrite.replace(at, at, `${pg}.number_text`)
  rewrite.replace(lastAt, lastAt, parts.join(', '))
}

/** A name of a day or month, filled up to nine letters, as the element of the format is written. */
const named = (of: string, format: string, length: number) => {
  const filled = `rpad(strftime(m, '${format}'), ${length}, ' ')`
  return {
    [of.toUpperCase()]: `upper(${filled})`,
    [of]: `lower(${filled})`,
    [of[0]!.toUpperCase() + of.slice(1)]: filled,
  }
}

/** What strftime cannot write, of a moment `m`; with FM before it without the zeros and spaces that fill it up. */
const elements: Readonly<Record<string, string>> = {
  ...named('day', '%A', 9), ...named('month', '%B', 9), ...named('mon', '%b', 3), ...named('dy', '%a', 3),
  am: `lower(strftime(m, '%p'))`, pm: `lower(strftime(m, '%p'))`,
  D: '(dayofweek(m) + 1)', ID: 'isodow(m)', Q: 'quarter(m)', J: 'julian(m::DATE)::BIGINT',
  WW: `lpad(((dayofyear(m) - 1) // 7 + 1)::VARCHAR, 2, '0')`, W: '((day(m) - 1) // 7 + 1)', CC: 'century(m)',
} // prettier-ignore
const element =
  /(FM)?(Day|DAY|day|Month|MONTH|month|MON|mon|DY|dy|am|pm|WW|ID(?!D)|CC|Q|J|W|D(?!D|Y|y|ay))|(FM)?(MM|DDD|DD|HH24|HH12|HH|MI|SS)(th|TH)|(FM)(MM|DDD|DD|HH24|HH12|HH|MI|SS)|"[^"]*"|[A-Za-z]+\d*|[^A-Za-z"]+/g

/** A number with `st`, `nd`, `rd` or `th`. */
const ordinal = (part: string, { isBare, isUpper }: { isBare: boolean; isUpper: boolean }): string => {
  const written = `strftime(m, ${quoteText(toStrftime(part)!)})`
  const number = `CAST(${written} AS INTEGER)`
  const ending = `CASE WHEN ${number} % 100 IN (11, 12, 13) THEN 'th' ELSE ['th', 'st', 'nd', 'rd', 'th', 'th', 'th', 'th', 'th', 'th'][${number} % 10 + 1] END`
  return `${isBare ? number : written}, ${isUpper ? `upper(${ending})` : ending}`
}

/** A format as parts of a text that is put together; undefined where strftime writes all of it, or nothing here does. */
const partsOf = (format: string): string[] | undefined => {
  const parts: string[] = []
  let plain = ''
  let isPlain = true
  const end = () => {
    const written = plain === '' ? '' : toStrftime(plain)
    if (written !== undefined && written !== '') parts.push(`strftime(m, ${quoteText(written)})`)
    plain = ''
    return written !== undefined
  }
  for (const [part, fill, special, bare, nth, th, , number] of format.matchAll(element)) {
    if (special === undefined && nth === undefined && number === undefined) plain += part
    else {
      if (!end()) return undefined
      isPlain = false
      if (nth !== undefined) parts.push(ordinal(nth, { isBare: bare !== undefined, isUpper: th === 'TH' }))
      else if (special !== undefined)
        parts.push(fill === undefined ? elements[special]! : `trim((${elements[special]})::VARCHAR)`)
      else parts.push(`CAST(strftime(m, ${quoteText(toStrftime(number!)!)}) AS INTEGER)`)
    }
  }
  return end() && !isPlain ? parts : undefined
}

/** Each of its elements becomes some hundred letters of SQL. */
const longestFormat = 200

const toChar = (rewrite: Rewrite, call: Call): void => {
  const format = writtenText(rewrite, call)
  if (format !== undefined && format.length > longestFormat)
    throw refused(`A format of to_char has ${longestFormat} characters at most here.`)
  const number = format === undefined ? null : numberForm.exec(format)
  if (number !== null) return numberToChar(rewrite, call, number)
  const parts = format === undefined ? undefined : partsOf(format)
  if (parts !== undefined) {
    // The moment is written once: what stands in one another would grow with each.
    rewrite.replace(call.at, call.open, 'list_transform([')
    rewrite.replace(
      call.lastAt - 1,
      call.close,
      `], lambda m: CASE WHEN m IS NOT NULL THEN concat(${parts.join(', ')}) END)[1]`,
    )
    return
  }
  const written = format === undefined ? undefined : toStrftime(format)
  if (written === undefined) {
    throw refused(
      'to_char takes a format that is written out, of YYYY, MM, Mon, DD, Day, HH24, MI, SS and the like, or of a number such as FM999,990.00; strftime takes others.',
    )
  }
  rewrite.replace(call.at, call.at, 'strftime')
  rewrite.replace(call.lastAt, call.lastAt, quoteText(written))
}

/** `to_number('1,234.56', '9G999D99')`: the format says how many digits there may be. */
const toNumber = (rewrite: Rewrite, call: Call): void => {
  const format = writtenText(rewrite, call)
  const [, whole = '', fraction = ''] =
    /^(?:FM|[SL$])*([90,G]{1,60})(?:[.D]([90]{1,30}))?(?:S|MI|PR)?$/i.exec(format ?? '') ?? []
  if (whole === '') throw refused('to_number takes a format that is written out, such as 9G999D99 or S999.')
  rewrite.replace(call.at, call.at, `${pg}.to_number`)
  rewrite.replace(call.lastAt, call.lastAt, `${whole.replaceAll(/[,G]/gi, '').length}, ${fraction.length}`)
}

const fromText = (type: string) => (rewrite: Rewrite, call: Call) => {
  // to_timestamp of one number is the same in DuckDB.
  if (call.lastAt === call.open + 1) return
  const format = writtenText(rewrite, call)
  const written = format === undefined ? undefined : toStrftime(format)
  if (written === undefined)
    throw refused('The format must be written out, of YYYY, MM, DD, HH24, MI and SS; strptime takes others.')
  rewrite.replace(call.at, call.at, 'CAST(strptime')
  rewrite.replace(call.lastAt, call.lastAt, quoteText(written))
  rewrite.after(call.close, ` AS ${type})`)
}

const groupsIn = (pattern: string): number => {
  const groups = pattern.replaceAll(/\\.|\[[^\]]*\]?/g, '').match(/\((?!\?)/g)?.length ?? 0
  if (groups > 9) throw refused('A pattern has nine groups at most here.')
  return groups
}

/** The groups of the first match, as a list; of a pattern without groups the whole match. */
const regexpMatch = (rewrite: Rewrite, call: Call): void => {
  const pattern = writtenText(rewrite, call)
  if (pattern === undefined)
    throw refused('regexp_match takes a pattern that is written out; regexp_extract takes others.')
  rewrite.replace(call.at, call.at, `${pg}.match_${groupsIn(pattern)}`)
}

/** `regexp_matches(x, 'a', 'g')` gives a row for each match, and `(regexp_matches(x, 'a'))[1]` is of the first one. */
const regexpMatches = (rewrite: Rewrite, call: Call): void => {
  const { at, open, close, lastAt } = call
  const commas = rewrite.commasIn(open, close)
  if (commas.length === 2 && rewrite.text(lastAt) === 'g') {
    const pattern = rewrite.text(lastAt - 2)
    if (pattern === undefined || commas[0] !== lastAt - 3)
      throw refused('regexp_matches takes a pattern that is written out.')
    rewrite.replace(at, at, `${pg}.matches_${groupsIn(pattern)}`)
    rewrite.replace(lastAt - 1, lastAt, '')
  } else if (rewrite.is(at - 1, '(') && rewrite.is(close + 1, ')') && rewrite.is(close + 2, '['))
    regexpMatch(rewrite, call)
}

/** `substring(x from 'a(b)')` is the group, or the match, of a pattern; the words FROM and FOR stand for commas. */
const substring = (rewrite: Rewrite, { at, open, close }: Call): void => {
  const words: number[] = []
  for (let word = open + 1; word < close; word++)
    if (rewrite.tokens[word]!.around === open && /^(from|for)$/.test(rewrite.word(word))) words.push(word)
  const second = words[0] ?? rewrite.commasIn(open, close)[0]
  const pattern = second === undefined || close !== second + 2 ? undefined : rewrite.text(second + 1)
  if (pattern !== undefined) {
    rewrite.replace(at, at, `${pg}.match_${groupsIn(pattern)}`)
    rewrite.replace(second!, second!, ',')
    rewrite.after(close, '[1]')
    return
  }
  rewrite.replace(at, at, `${pg}.substring`)
  for (const word of words)
    rewrite.replace(word, word, rewrite.word(word) === 'for' && word === words[0] ? ', 1,' : ',')
}

/** `overlay(x placing y from 1 for 2)` */
const overlay = (rewrite: Rewrite, { at, open, close }: Call): void => {
  rewrite.replace(at, at, `${pg}.overlay`)
  for (let word = open + 1; word < close; word++)
    if (rewrite.tokens[word]!.around === open && /^(placing|from|for)$/.test(rewrite.word(word)))
      rewrite.replace(word, word, ',')
}

/** In a text that is put together a truth value is a letter. */
const concat = (rewrite: Rewrite, { open, close }: Call): void => {
  const starts = [open, ...rewrite.commasIn(open, close), close]
  for (const [nth, start] of starts.slice(0, -1).entries()) {
    const [first, last] = [start + 1, starts[nth + 1]! - 1]
    if (first > last || (first === last && rewrite.tokens[first]!.kind === 'text')) continue
    rewrite.after(start, `${pg}.shown(`)
    rewrite.before(starts[nth + 1]!, ')')
  }
}

/** `json_agg(x ORDER BY y) FILTER (…)`: DuckDB's is a macro, which takes neither. */
const jsonAgg = (rewrite: Rewrite, { at, close }: Call): void => {
  rewrite.replace(at, at, 'to_json(list')
  rewrite.after(endOfCall(rewrite.tokens, close), ')')
}

/** A setting of this connection. What is no name as it is written goes to the macro, with all of the settings. */
const currentSetting = (rewrite: Rewrite, { at, open, close }: Call): void => {
  const { settings } = rewrite.asker
  const isWritten = (rewrite.commasIn(open, close)[0] ?? close) === open + 2
  const name = isWritten ? rewrite.text(open + 1) : undefined
  const value = name === undefined ? undefined : settings.get(name)
  if (value !== undefined) return rewrite.replace(at, close, quoteText(value))
  const all = name === undefined ? settings.all().map(([each, of]) => [each.toLowerCase(), of]) : []
  if (name === undefined) rewrite.countLive()
  rewrite.after(open, `${quoteText(JSON.stringify(Object.fromEntries(all)))}, `)
}

/** The text, or truth value, that stands alone or within a cast; null for NULL, and undefined for what is not written out. */
const textWithin = (rewrite: Rewrite, first: number, last: number): string | null | undefined => {
  const isPart = (at: number) =>
    /^(cast|as|text|varchar|bool|boolean|[():])$/.test(rewrite.tokens[at]!.text.toLowerCase())
  const rest = Array.from({ length: last - first + 1 }, (_, by) => first + by).filter((at) => !isPart(at))
  if (rest.length !== 1) return undefined
  const word = rewrite.word(rest[0]!)
  if (word === 'null') return null
  return /^(true|false)$/.test(word) ? word : rewrite.text(rest[0]!)
}

/** `set_config('a', 'b', false)`, beside other columns too. While it is described a macro stands there, for the types. */
const setConfig = (rewrite: Rewrite, { at, open, close }: Call): void => {
  const { set } = rewrite.asker
  const [first, second] = rewrite.commasIn(open, close)
  if (set === undefined || second === undefined) return rewrite.replace(at, at, `${pg}.set_config`)
  const name = textWithin(rewrite, open + 1, first! - 1)
  const value = textWithin(rewrite, first! + 1, second - 1)
  const isLocal = textWithin(rewrite, second + 1, close - 1)
  if (typeof name !== 'string' || value === undefined || isLocal === undefined)
    throw refused('set_config takes three values that are written out, or bound.')
  const local = /^\s*(t(r(ue?)?)?|y(es?)?|on|1)\s*$/i.test(isLocal ?? '')
  return rewrite.replace(at, close, quoteText(set(name, value ?? undefined, local)))
}

const wraps: Record<string, readonly [open: string, close: string]> = {
  s: [`${pg}.shown(`, ')'],
  I: [`${pg}.quote_ident(${pg}.shown(`, '))'],
  L: [`${pg}.quote_nullable(${pg}.shown(`, '))'],
}

/** Postgres's `format('%s', x)`. With braces and no percent sign it is DuckDB's. */
const format = (rewrite: Rewrite, { at, open, close }: Call): void => {
  const form = rewrite.text(open + 1)
  if (form !== undefined && form.includes('{') && !form.includes('%')) return
  const commas = rewrite.commasIn(open, close)
  const pieces = ['']
  const kinds: string[] = []
  for (const [part, place, sign] of (form ?? '%').matchAll(/%(?:(\d+)\$)?(.?)|[^%]+/gs)) {
    if (sign === undefined || sign === '%') pieces[pieces.length - 1] += sign ?? part
    else {
      // Each value is written once.
      kinds.push(place === undefined || Number(place) === kinds.length + 1 ? sign : '')
      pieces.push('')
    }
  }
  if (kinds.length !== commas.length || !kinds.every((kind) => kind in wraps))
    throw refused(
      'format takes a text that is written out, with as many of %s, %I and %L as there are values, each once and in order.',
    )
  if (commas.length === 0) return rewrite.replace(at, close, quoteText(pieces[0]!))
  for (const [nth, comma] of commas.entries()) {
    const begins = `${quoteText(pieces[nth]!)}, ${wraps[kinds[nth]!]![0]}`
    if (nth === 0) rewrite.replace(at, comma, `concat(${begins}`)
    else rewrite.replace(comma, comma, `${wraps[kinds[nth - 1]!]![1]}, ${begins}`)
  }
  rewrite.before(close, `${wraps[kinds.at(-1)!]![1]}, ${quoteText(pieces.at(-1)!)}`)
}

const rewriters: Record<string, (rewrite: Rewrite, call: Call) => void> = {
  ...Object.fromEntries(
    Object.entries(synonyms).map(([name, other]) => [
      name,
      (rewrite: Rewrite, { at }: Call) => rewrite.replace(at, at, other),
    ]),
  ),
  to_char: toChar,
  to_number: toNumber,
  to_date: fromText('DATE'),
  to_timestamp: fromText('TIMESTAMPTZ'),
  regexp_match: regexpMatch,
  regexp_matches: regexpMatches,
  substring,
  overlay,
  concat,
  concat_ws: concat,
  json_agg: jsonAgg,
  jsonb_agg: jsonAgg,
  format,
}

/** Calls a rewriter for each call of a function that has one. */
const rewriteEach = (rewrite: Rewrite, by: Record<string, (rewrite: Rewrite, call: Call) => void>): void => {
  for (let at = 0; at < rewrite.tokens.length; at++) {
    const name = rewrite.word(at)
    const call = callAt(rewrite.tokens, at)
    if (call === undefined || rewrite.isTaken(at)) continue
    if (rewrite.is(at - 1, '.') ? rewrite.word(at - 2) !== 'pg_catalog' : rewrite.asker.isOwn(name)) continue
    if (!Object.hasOwn(by, name)) continue
    const { open, close } = call
    const lastAt = (rewrite.commasIn(open, close).at(-1) ?? open) + 1
    rewrite.about(at, () => by[name]!(rewrite, { ...call, lastAt }))
  }
}

/** Reads and sets what the connection has set. It comes first: what stands within is no other edit's. */
export const rewriteSettings = (rewrite: Rewrite): void =>
  rewriteEach(rewrite, { current_setting: currentSetting, set_config: setConfig })

/** Rewrites calls of functions that DuckDB has by another name or form. Other ones are macros of the catalog. */
export const rewriteCalls = (rewrite: Rewrite): void => rewriteEach(rewrite, rewriters)
