import { DuckDBTypeId } from '@duckdb/node-api'
import { quoteText } from '../../duckdb/quote.js'
import { scalarTypes } from '../types.js'
import { pgTypes } from './facts.js'

interface CatalogType {
  name: string
  oid: number
  arrayOid: number
  size: string
  /** Letters for its kind, category, alignment and storage. */
  letters: string
  isPreferred: boolean
  isByValue: boolean
  collation: string
  /** What the names of its functions begin with. */
  stem: string
  isReceived: boolean
  hasLength: boolean
  sqlName: string
}

const line = /^(\S+) (\d+) (\d+) (-?\d+) (\w{4})(!?)(v?)(?: (\d+))? (\w+?)( norecv)?( mod)? (\S.*)$/

/** What PostgreSQL tells of its types: of those that the service has, and of those in the catalog. */
export const catalogTypes: readonly CatalogType[] = pgTypes
  .trim()
  .split('\n')
  .map((each) => {
    const [, name = '', oid, array, size = '', letters = '', preferred, value, collation = '0', stem = '', norecv, mod, sqlName = ''] =
      line.exec(each)!
    return {
      name,
      oid: Number(oid),
      arrayOid: Number(array),
      size,
      letters,
      isPreferred: preferred !== '',
      isByValue: value !== '',
      collation,
      stem,
      isReceived: norecv === undefined,
      hasLength: mod !== undefined,
      sqlName,
    }
  }) // prettier-ignore

const byName = new Map(catalogTypes.map((type) => [type.name, type]))

/** How a column of one of the catalog's types is told to clients; undefined for another type. */
export const fieldOfType = (type: string): { oid: number; size: number; modifier: number } | undefined => {
  if (type === 'yes_or_no') return { oid: byName.get('varchar')!.oid, size: -1, modifier: 7 }
  if (type.startsWith('_')) return { oid: byName.get(type.slice(1))?.arrayOid ?? 25, size: -1, modifier: -1 }
  const found = byName.get(type)
  return found && { oid: found.oid, size: Number(found.size), modifier: -1 }
}

/** The name of one of the catalog's types. */
export const catalogTypeName = (oid: number): string | undefined =>
  catalogTypes.find((type) => type.oid === oid)?.name

const functionsOf = ({ stem, isReceived, hasLength }: CatalogType) => ({
  typinput: `${stem}in`,
  typoutput: `${stem}out`,
  typreceive: isReceived ? `${stem}recv` : undefined,
  typsend: isReceived ? `${stem}send` : undefined,
  typmodin: hasLength ? `${stem.replace(/_$/, '')}typmodin` : undefined,
  typmodout: hasLength ? `${stem.replace(/_$/, '')}typmodout` : undefined,
})
const ofArrays = {
  typinput: 'array_in',
  typoutput: 'array_out',
  typreceive: 'array_recv',
  typsend: 'array_send',
}

/** The functions that read and write values, with numbers below those of PostgreSQL's own objects. */
const functionNames = [
  ...new Set([
    ...Object.values(ofArrays),
    'array_subscript_handler',
    ...catalogTypes.flatMap((type) => Object.values(functionsOf(type))),
  ]),
].filter((name) => name !== undefined)
const firstFunction = 9000
const numberOf = (name: string | undefined): number =>
  name === undefined ? 0 : functionNames.indexOf(name) + firstFunction

/** The number of a function by which tools know types, as `array_in`; undefined for another name. */
export const functionOid = (name: string): number | undefined => {
  const number = numberOf(name)
  return number < firstFunction ? undefined : number
}
export const functionName = (oid: number): string | undefined => functionNames[oid - firstFunction]

/** These columns of the catalog are numbers of functions, which PostgreSQL compares with names, and shows as such. */
export const ofFunction = /^typ(input|output|receive|send|modin|modout)$/

export const functionRows = functionNames.map((name, at) => `(${at + firstFunction}, '${name}')`).join(', ')

const flag = (is: boolean) => (is ? 'true' : 'false')

/** The rows of `pg_type`, whose columns `typeColumns` names. */
export const typeColumns =
  'oid typname typlen typbyval typtype typcategory typispreferred typsubscript typelem typarray typinput typoutput typreceive typsend typmodin typmodout typalign typstorage typcollation'.split(' ') // prettier-ignore
export const typeRows = catalogTypes
  .flatMap((type) => {
    const { name, oid, arrayOid, size, letters, isPreferred, isByValue, collation } = type
    const [kind, category, align, storage] = [...letters]
    const functions = Object.values(functionsOf(type)).map(numberOf)
    const items = /^(int2|oid)vector$/.exec(name)?.[1]
    const item = catalogTypes.find((each) => each.name === items)?.oid ?? 0
    const handler = items === undefined ? 0 : numberOf('array_subscript_handler')
    const rows: (string | number)[][] = [
      [oid, quoteText(name), size, flag(isByValue), `'${kind}'`, `'${category}'`, flag(isPreferred), handler, item, arrayOid, ...functions, `'${align}'`, `'${storage}'`, collation],
    ]
    if (arrayOid === 0) return rows
    const arrays = [...Object.values(ofArrays).map(numberOf), functions[4]!, functions[5]!]
    rows.push([arrayOid, `'_${name}'`, -1, 'false', name === 'record' ? `'p'` : `'b'`, name === 'record' ? `'P'` : `'A'`, 'false', numberOf('array_subscript_handler'), oid, 0, ...arrays, align === 'd' ? `'d'` : `'i'`, `'x'`, collation])
    return rows
  })
  .map((row) => `(${row.join(', ')})`)
  .join(', ') // prettier-ignore

const aliases = new Map(Object.entries({
  integer: 'int4', int: 'int4', bigint: 'int8', smallint: 'int2', real: 'float4', decimal: 'numeric', float: 'float8',
  string: 'text', 'bit varying': 'varbit', timestamp: 'timestamp', time: 'time',
})) // prettier-ignore

/** The number of a type by any of its names; undefined for a name of none. */
export const typeOidOf = (written: string): number | undefined => {
  if (written.length > 100) return undefined
  const name = written.trim().toLowerCase().replace(/^pg_catalog\./, '').replace(/\(.*?\)/, '').replaceAll(/\s+/g, ' ').replace(/^"(.*)"$/, '$1') // prettier-ignore
  const item = /^(.*)\[\]$/.exec(name)?.[1] ?? /^_(.*)$/.exec(name)?.[1]
  const wanted = item ?? name
  const found = catalogTypes.find(
    (type) => type.name === (aliases.get(wanted) ?? wanted) || type.sqlName === wanted,
  )
  const oid = item === undefined ? found?.oid : found?.arrayOid
  return oid === 0 ? undefined : oid
}

const cases = [...scalarTypes].flatMap(([id, { oid: own, arrayOid }]) => {
  const name = DuckDBTypeId[id].replace(/_TZ$/, ' WITH TIME ZONE')
  return [`WHEN '${name}' THEN ${own}`, `WHEN '${name}[]' THEN ${arrayOid}`]
})

/** The number of Postgres's type for DuckDB's name of a type. */
export const typeOid = (t: string): string => `
CASE ${t} ${cases.join(' ')} WHEN 'JSON' THEN 114 WHEN 'JSON[]' THEN 199 WHEN 'VARCHAR[]' THEN 1009
  ELSE CASE WHEN ${t} LIKE '%[]' OR ${t} LIKE 'STRUCT(%' OR ${t} LIKE 'MAP(%' OR ${t} LIKE 'UNION(%' THEN 114 WHEN ${t} LIKE 'DECIMAL(%' THEN 1700 ELSE 25 END END`

const sqlNames = new Map(
  catalogTypes.flatMap(({ oid, arrayOid, sqlName }): [number, string][] => [
    [oid, sqlName],
    ...(arrayOid === 0 ? [] : [[arrayOid, `${sqlName}[]`] as [number, string]]),
  ]),
)

/** The name in SQL of a type, which is there. */
export const typeName = (oid: number): string => sqlNames.get(oid)!

const lines = [...sqlNames].map(([oid, name]) => `${oid}:${name}`)
const modified = `CASE WHEN modifier > 4 THEN CASE id WHEN 1700 THEN format('({},{})', (modifier - 4) >> 16, (modifier - 4) & 65535)
  WHEN 1043 THEN format('({})', modifier - 4) WHEN 1042 THEN format('({})', modifier - 4) END END`

/**
 * The name in SQL for the number of a type of Postgres. It is found in one text: a CASE of all types takes DuckDB a
 * millisecond to plan, each time that a statement calls it.
 */
export const formatType = `
CASE WHEN id = 0 THEN '-' WHEN id IS NOT NULL THEN
  coalesce(nullif(split_part(split_part(${quoteText(`;${lines.join(';')};`)}, ';' || id || ':', 2), ';', 1), ''), '???') || coalesce(${modified}, '') END`
