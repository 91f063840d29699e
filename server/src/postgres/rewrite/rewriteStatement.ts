import { applyEdits, type Edit } from '../../sql/text/edits.js'
import { type Statement, throwPlaced } from '../statements/statements.js'
import { type Asker, Rewrite } from './Rewrite.js'
import { rewriteCalls, typeAggregates } from './rewriteCalls.js'
import { nameColumns } from './columnNames.js'
import { rewriteCasts } from './rewriteCasts.js'
import { rewriteJoins, rewriteOperators } from './rewriteOperators.js'
import { hasAliasAt, rewriteTables, vectors, rowless } from './rewriteTables.js'
import { rewriteValues } from './rewriteValues.js'
import { isSymbol, lowerName, type SqlToken, tokenize } from '../../sql/text/tokenize.js'
import { findExcess } from '../../sql/guard/findExcess.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import { closingAt } from '../../sql/text/operands.js'
import { ownCatalog, quoteText } from '../../duckdb/quote.js'
import { catalogMacros, readingsOf, relationsIn } from '../catalog/createCatalog.js'
import { owner, ownerOid, pg, userOid } from '../catalog/names.js'
import { live } from '../catalog/relations.js'
import { shapes } from '../catalog/shapes.js'
import { functionOid, ofFunction } from '../catalog/typeTables.js'

/** The rows of what differs from client to client, as the text of the macro's argument. */
const liveRows = ({ user, settings, activity }: Asker, name: string): string => {
  const rows =
    name === 'pg_settings'
      ? settings.rows()
      : name === 'pg_stat_activity'
        ? activity()
        : [
            { oid: Number(ownerOid), name: owner },
            { oid: userOid, name: user },
          ]
  return quoteText(JSON.stringify(rows))
}

/** A macro has no name by itself, and the guard lets no relation of DuckDB's name stand for it. */
const aliasOf = (name: string) => `own_${name}`

/** A relation of the catalog, whose name in PostgreSQL stands from `from` to `to`. It keeps that name. */
const replaceRelation = (rewrite: Rewrite, [from, to]: [number, number], name: string): void => {
  const own = rewrite.own(name)
  const word = rewrite.word(to)
  const isLive = Object.hasOwn(live, name)
  if (isLive) rewrite.countLive()
  const alias =
    hasAliasAt(rewrite, to + 1) || (!isLive && name === word) ? '' : ` AS ${isLive ? aliasOf(word) : word}`
  rewrite.replace(from, to, `${own}${isLive ? `(${liveRows(rewrite.asker, name)})` : ''}${alias}`)
}

/** Values that a client's statement may ask for as if they were functions, or keywords. */
const valueOf = ({ user, pid, database, schema }: Asker, word: string): string | undefined => {
  if (/^(current_user|session_user|current_role|user)$/.test(word)) return quoteText(user)
  if (word === 'current_schema') return quoteText(schema)
  if (/^current_(database|catalog)$/.test(word)) return quoteText(database)
  return word === 'pg_backend_pid' ? String(pid) : undefined
}

/** The database in `lakehouse.analytics.events`: what is shown as a schema of it is a catalog by itself. */
const isDatabase = (tokens: readonly SqlToken[], at: number, { database, catalogs }: Asker): boolean => {
  if (lowerName(tokens[at]) !== database || !catalogs.includes(lowerName(tokens[at + 2]))) return false
  return isSymbol(tokens[at + 1], '.') && isSymbol(tokens[at + 3], '.')
}

/** Whether a statement names a catalog as a schema of the database, which may have a schema of that name. */
export const namesCatalog = ({ tokens }: Statement, asker: Asker): boolean =>
  tokens.some((_, at) => isDatabase(tokens, at, asker))

/** Sends what is asked of Postgres's catalog to the service's own, which stands in another schema. */
export const rewriteCatalog = (rewrite: Rewrite): void => {
  const { tokens } = rewrite
  const relations = findRelations(rewrite)
  for (let at = 0; at < tokens.length; at++) {
    const word = rewrite.word(at)
    if (word === '' || rewrite.isTaken(at)) continue
    if (vectors.test(word)) countFromZero(rewrite, at)
    if (ofFunction.test(word)) nameFunction(rewrite, at)
    if (word === 'null' && isTextOfCatalog(rewrite, at, relations)) rewrite.after(at, '::VARCHAR')
    // `EXISTS (SELECT FROM t)`
    if (word === 'select' && tokens[at]!.depth > 0 && rewrite.word(at + 1) === 'from') rewrite.after(at, ' 1')
    if (/^(tableoid|xmin)$/.test(word)) replaceHidden(rewrite, at, word, relations)
    if (word === 'collate' && rewrite.word(at + 1) === 'pg_catalog') {
      rewrite.replace(at, at + 3, '')
      at += 3
    } else if (rewrite.is(at - 1, '.')) continue
    else if (isDatabase(tokens, at, rewrite.asker)) {
      rewrite.replace(at, at + 1, '')
      // Another catalog that is looked through may have a schema of this name.
      rewrite.after(at + 2, '.main')
    } else if (/^(pg_catalog|information_schema)$/.test(word) && rewrite.is(at + 1, '.')) {
      at = replaceQualified(rewrite, at, word)
    } else if (rewrite.is(at + 1, '.') && Object.hasOwn(live, word)) rewrite.replace(at, at, aliasOf(word))
    else if (Object.hasOwn(rowless, word) && beginsRelation(rewrite, at)) replaceRowless(rewrite, [at, at])
    else if (rewrite.is(at + 1, '(') && rewrite.asker.isOwn(word)) continue
    else if (rewrite.is(at + 1, '(')) {
      const value = rewrite.is(at + 2, ')') ? valueOf(rewrite.asker, word) : undefined
      if (value !== undefined && word !== 'user') rewrite.replace(at, at + 2, value)
      else if (word === 'date_trunc' && rewrite.commasIn(at + 1, closingAt(tokens, at + 1)).length === 2)
        rewrite.replace(at, at, `${pg}.date_trunc_in`)
      else if (catalogMacros.has(word)) rewrite.replace(at, at, rewrite.own(word))
    } else if (shapes.has(word) && /^(from|join|,|\()$/i.test(tokens[at - 1]?.text ?? '')) {
      replaceRelation(rewrite, [at, at], word)
    } else if (word !== 'pg_backend_pid' && isValue(rewrite, at)) {
      const value = valueOf(rewrite.asker, word)
      if (value !== undefined) rewrite.replace(at, at, value)
    }
  }
}

/** What stands behind `pg_catalog.` or `information_schema.`; returns its last token. */
const replaceQualified = (rewrite: Rewrite, at: number, schema: string): number => {
  const end = at + 2
  const named = rewrite.word(end)
  const relation = schema === 'pg_catalog' ? named : `${schema}_${named}`
  if (rewrite.isTaken(end)) {
    if (schema === 'pg_catalog') rewrite.replace(at, at + 1, '')
  } else if (Object.hasOwn(rowless, named) && beginsRelation(rewrite, at)) replaceRowless(rewrite, [at, end])
  else if (rewrite.is(end + 1, '(')) {
    const value = rewrite.is(end + 2, ')') ? valueOf(rewrite.asker, named) : undefined
    if (value !== undefined) {
      rewrite.replace(at, end + 2, value)
      return end + 2
    }
    if (catalogMacros.has(named)) rewrite.replace(at, end, rewrite.own(named))
    else rewrite.replace(at, at + 1, '')
  } else if (shapes.has(relation) && rewrite.is(end + 1, '.')) {
    // A column by all of its names, `pg_catalog.pg_class.relname`: DuckDB's FROM has only the last two.
    rewrite.replace(at, end, Object.hasOwn(live, relation) ? aliasOf(named) : named)
  } else if (shapes.has(relation)) replaceRelation(rewrite, [at, end], relation)
  else if (schema === 'pg_catalog') rewrite.replace(at, at + 1, '')
  return end
}

const beginsRelation = (rewrite: Rewrite, at: number): boolean =>
  rewrite.is(rewrite.is(at + 1, '.') ? at + 3 : at + 1, '(') &&
  /^(from|join|lateral|,)$/i.test(rewrite.tokens[at - 1]?.text ?? '')

const replaceRowless = (rewrite: Rewrite, [from, to]: [number, number]): void => {
  const name = rewrite.word(to)
  const close = closingAt(rewrite.tokens, to + 1)
  const isNumbered = rewrite.word(close + 1) === 'with' && rewrite.word(close + 2) === 'ordinality'
  const last = isNumbered ? close + 2 : close
  const alias = hasAliasAt(rewrite, last + 1) ? '' : ` AS ${name}`
  rewrite.replace(from, last, `(SELECT ${rowless[name]} WHERE false)${alias}`)
}

/** `typinput = 'array_in'` */
const nameFunction = (rewrite: Rewrite, at: number): void => {
  const sign = rewrite.is(at + 1, '=') ? at + 1 : undefined
  const number = sign === undefined ? undefined : functionOid(rewrite.text(sign + 1) ?? '')
  if (number !== undefined && !rewrite.is(at + 3, ':')) rewrite.replace(at + 2, at + 2, String(number))
}

/** Where relations of the catalog stand, the last one first, by each of their names; all of them by none. */
type Relations = ReadonlyMap<string, number[]>

const findRelations = (rewrite: Rewrite): Relations => {
  const found = new Map<string, number[]>([['', []]])
  for (let at = rewrite.tokens.length - 1; at >= 0; at--) {
    const name = rewrite.word(at)
    if (!shapes.has(name)) continue
    const alias = rewrite.word(rewrite.word(at + 1) === 'as' ? at + 2 : at + 1)
    for (const each of new Set(['', name, alias])) {
      const places = found.get(each)
      if (places === undefined) found.set(each, [at])
      else places.push(at)
    }
  }
  return found
}

/** Columns that every table of PostgreSQL has and no list shows: the table's number, and when a row was written. */
const replaceHidden = (rewrite: Rewrite, at: number, word: string, relations: Relations): void => {
  const isQualified = rewrite.is(at - 1, '.')
  const alias = isQualified ? rewrite.word(at - 2) : ''
  const all = relations.get(alias) ?? []
  // A statement is rewritten from left to right, so what has been passed is asked for no more.
  while (all.length > 1 && all.at(-1)! < at) all.pop()
  const named = all.at(-1)
  if (named === undefined || rewrite.word(at - 1) === 'as') return
  const value = word === 'xmin' ? `'2'` : (shapes.get(rewrite.word(named))!.oid ?? '0')
  rewrite.replace(isQualified ? at - 2 : at, at, `CAST(${value} AS BIGINT)`)
}

/** A NULL that a subquery shows is a text, unless a UNION gives it another type. */
const isTextOfCatalog = (rewrite: Rewrite, at: number, relations: Relations): boolean =>
  rewrite.tokens[at]!.depth > 0 &&
  rewrite.word(at + 1) === 'as' &&
  /^(select|,)$/i.test(rewrite.tokens[at - 1]!.text) &&
  relations.get('')!.length > 0 &&
  !rewrite.hasUnion

/** Whether a keyword stands where a value does, and is no name of a column or alias. */
const isValue = (rewrite: Rewrite, at: number): boolean => {
  const before = rewrite.tokens[at - 1]
  if (rewrite.tokens[at]!.kind !== 'word' || rewrite.is(at + 1, '.')) return false
  return /^(select|,|\(|=|when|then|else|and|or|where|in|\||distinct|>|<)$/i.test(before?.text ?? '')
}

/** The numbers in an index are a vector, which counts from 0; lists count from 1. */
const countFromZero = (rewrite: Rewrite, at: number): void => {
  let first = at
  while (rewrite.is(first - 1, '.')) first -= 2
  if (rewrite.is(at + 1, '[')) {
    rewrite.after(at + 1, '(')
    rewrite.before(closingAt(rewrite.tokens, at + 1), ') + 1')
    return
  }
  if (rewrite.word(first - 2) !== 'generate_subscripts' || rewrite.isTaken(first - 2)) return
  rewrite.before(first - 2, '(')
  rewrite.after(closingAt(rewrite.tokens, first - 1), ' - 1)::INTEGER')
}

/**
 * The edits that make DuckDB's SQL of a statement by the Postgres protocol. People write DuckDB's SQL here too, and what
 * is no edit of words beside each other is left to DuckDB to refuse.
 */
export const rewriteStatement = (statement: Statement, asker: Asker): Edit[] => {
  try {
    return rewriteAll(statement, new Rewrite(statement.tokens, asker))
  } catch (error) {
    return throwPlaced(statement, [])(error)
  }
}

const rewriteAll = ({ text, tokens }: Statement, rewrite: Rewrite): Edit[] => {
  const own = tokens.findIndex((token) => lowerName(token) === ownCatalog)
  if (own >= 0)
    rewrite.about(own, () => {
      throw new ProtocolError(sqlState.insufficientPrivilege, `${ownCatalog} belongs to the service.`)
    })
  // What is in excess takes too long to rewrite, too.
  const excess = findExcess(tokens)
  if (excess !== undefined) throw new ProtocolError(sqlState.tooLarge, excess)
  rewriteTables(rewrite)
  typeAggregates(rewrite)
  rewriteCasts(rewrite)
  rewriteOperators(rewrite)
  rewriteValues(rewrite)
  rewriteCalls(rewrite)
  rewriteJoins(rewrite)
  rewriteCatalog(rewrite)
  nameColumns(rewrite)
  const edits = rewrite.list()
  checkNesting(text, edits)
  return edits
}

/** Each call takes DuckDB 2 to 80 microseconds, and each word a fortieth of that. */
const maxReadings = 50_000
const maxWords = 40 * maxReadings

const tooNested = () =>
  new ProtocolError(
    sqlState.tooLarge,
    'Too many functions and operators stand in one another: cut the statement into parts.',
  )

/** Refuses what DuckDB would plan for ever: it reads what a macro is given as often as the macro names it. */
const checkNesting = (text: string, edits: readonly Edit[]): void => {
  if (!edits.some((edit) => edit.text.includes(ownCatalog))) return
  const { tokens } = tokenize(applyEdits(text, edits))
  /** How often the tokens within a bracket are read. */
  const readings = new Map([[-1, 1]])
  let sum = 0
  let words = 0
  for (const [at, { around, pair }] of tokens.entries()) {
    words += readings.get(around)! - 1
    if (words > maxWords) throw tooNested()
    if (pair <= at) continue
    const factor = readingsOf(tokens, at)
    const count = readings.get(around)! * factor
    readings.set(at, count)
    if (factor > 1) sum += count
    if (sum > maxReadings) throw tooNested()
  }
}

/** The relations that a statement reads of the service's own catalog; undefined where it needs nothing of it. */
export const catalogUse = (edits: readonly Edit[]): ReadonlySet<string> | undefined =>
  relationsIn(edits.map(({ text }) => text))
