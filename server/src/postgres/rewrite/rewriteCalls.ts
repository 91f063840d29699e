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

const numberForm = /^(FM)?([9,]*[09])(?:\.([09]+))?$/i

/** `to_char(number, '999,990.00')`, by DuckDB's `format`. */
const numberToChar = (rewrite: Rewrite, { at, open, close, lastAt }: Call, form: RegExpExecArray): void => {
  const [, fill, whole = '', fraction = ''] = form
  const format = `{:${whole.includes(',') ? ',' : ''}.${fraction.length}f}`
  const width = whole.length + (fraction === '' ? 0 : fraction.length + 1) + 1
  rewrite.replace(at, at, fill === undefined ? 'lpad(format' : 'format')
  rewrite.after(open, `${quoteText(format)}, CAST(`)
  rewrite.replace(lastAt - 1, lastAt, ' AS DOUBLE)')
  if (fill === undefined) rewrite.after(close, `, ${width}, ' ')`)
}

const toChar = (rewrite: Rewrite, call: Call): void => {
  const format = writtenText(rewrite, call)
  const number = format === undefined ? null : numberForm.exec(format)
  if (number !== null) return numberToChar(rewrite, call, number)
  const written = format === undefined ? undefined : toStrftime(format)
  if (written === undefined) {
    throw refused(
      'to_char takes a format that is written out, of YYYY, MM, Mon, DD, Dy, HH24, MI, SS and the like, or of a number such as FM999,990.00; strftime takes others.',
    )
  }
  rewrite.replace(call.at, call.at, 'strftime')
  rewrite.replace(call.lastAt, call.lastAt, quoteText(written))
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

/** The groups of the first match, as a list; of a pattern without groups the whole match. */
const regexpMatch = (rewrite: Rewrite, call: Call): void => {
  const pattern = writtenText(rewrite, call)
  if (pattern === undefined)
    throw refused('regexp_match takes a pattern that is written out; regexp_extract takes others.')
  const groups = pattern.replaceAll(/\\.|\[[^\]]*\]?/g, '').match(/\((?!\?)/g)?.length ?? 0
  if (groups > 9) throw refused('regexp_match takes nine groups at most.')
  rewrite.replace(call.at, call.at, `${pg}.match_${groups}`)
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

const asText = ['CAST(', ' AS VARCHAR)'] as const
const wraps: Record<string, readonly [open: string, close: string]> = {
  s: asText,
  I: [`${pg}.quote_ident(${asText[0]}`, `${asText[1]})`],
  L: [`${pg}.quote_nullable(${asText[0]}`, `${asText[1]})`],
}

/** Postgres's `format('%s', x)`. With braces and no percent sign it is DuckDB's. */
const format = (rewrite: Rewrite, { at, open, close }: Call): void => {
  const form = rewrite.text(open + 1)
  if (form !== undefined && form.includes('{') && !form.includes('%')) return
  const commas = rewrite.commasIn(open, close)
  const pieces = ['']
  const kinds: string[] = []
  for (const [part, sign] of (form ?? '%').matchAll(/%(.?)|[^%]+/gs)) {
    if (sign === undefined || sign === '%') pieces[pieces.length - 1] += sign ?? part
    else {
      kinds.push(sign)
      pieces.push('')
    }
  }
  if (kinds.length !== commas.length || !kinds.every((kind) => kind in wraps))
    throw refused(
      'format takes a text that is written out, with as many of %s, %I and %L as there are values.',
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
  to_char: toChar,
  to_date: fromText('DATE'),
  to_timestamp: fromText('TIMESTAMPTZ'),
  regexp_match: regexpMatch,
  json_agg: jsonAgg,
  jsonb_agg: jsonAgg,
  current_setting: currentSetting,
  format,
}

/** Rewrites calls of functions that DuckDB has by another name or form. Other ones are macros of the catalog. */
export const rewriteCalls = (rewrite: Rewrite): void => {
  for (let at = 0; at < rewrite.tokens.length; at++) {
    const name = rewrite.word(at)
    const call = callAt(rewrite.tokens, at)
    if (call === undefined) continue
    if (rewrite.is(at - 1, '.') && rewrite.word(at - 2) !== 'pg_catalog') continue
    if (Object.hasOwn(synonyms, name)) rewrite.replace(at, at, synonyms[name]!)
    else if (Object.hasOwn(rewriters, name)) {
      const { open, close } = call
      const lastAt = (rewrite.commasIn(open, close).at(-1) ?? open) + 1
      rewriters[name]!(rewrite, { ...call, lastAt })
    }
  }
}
