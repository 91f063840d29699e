import { ownCatalog } from '../../duckdb/quote.js'
import { catalogFunctions, functions, namesOfObjects, type Macros } from './functions.js'
import { pg } from './names.js'
import { constants, live, type Rows, shown, views } from './relations.js'
import { columnList, columnsOfTable, shapes } from './shapes.js'
import { systemTables } from './storedTables.js'
import { valueFunctions } from './valueFunctions.js'

const macros: Macros = { ...catalogFunctions, ...namesOfObjects, ...functions, ...valueFunctions }

export const catalogMacros: ReadonlySet<string> = new Set(Object.keys(macros))
/** These need nothing that is filled anew. */
export const constantMacros: ReadonlySet<string> = new Set([
  'format_type',
  'regtype_name',
  ...Object.keys({ ...functions, ...valueFunctions }),
])

const select = (name: string, { from, values }: Rows): string =>
  `SELECT ${columnList(shapes.get(name)!, values)} FROM ${from}`

const createMacros = (of: Macros) =>
  Object.entries(of).map(([name, forms]) => {
    const written = forms.map(([parameters, sql]) => `(${parameters}) AS ${sql}`)
    return `CREATE MACRO ${pg}.${name}${written.join(', ')}`
  })

const createLive = Object.entries(live).map(([name, { fields, values }]) => {
  const rows = `SELECT unnest(from_json(rows, '[${JSON.stringify(fields)}]'), recursive := true)`
  return `CREATE MACRO ${pg}.${name}(rows) AS TABLE ${select(name, { from: `(${rows})`, values })}`
})

const empty = [...shapes].filter(([name]) => !(name in views) && !(name in constants) && !(name in live))

/** Makes what stays as it is, when the first client asks for it. */
export const createConstants: string = [
  `ATTACH IF NOT EXISTS ':memory:' AS ${ownCatalog}`,
  // An attempt before may have failed half-way.
  `DROP SCHEMA IF EXISTS ${pg} CASCADE`,
  `CREATE SCHEMA ${pg}`,
  ...Object.entries(constants).map(([name, rows]) => `CREATE TABLE ${pg}.${name} AS ${select(name, rows)}`),
  ...empty.map(([name, shape]) => `CREATE TABLE ${pg}.${name} (${columnsOfTable(shape)})`),
  ...createLive,
  ...systemTables,
].join(';\n')

/** Makes what reads the tables that are filled anew. */
export const createViews: string = [
  ...Object.entries(shown).map(([name, sql]) => `CREATE VIEW ${pg}.${name} AS ${sql}`),
  ...createMacros({ format_type: macros['format_type']! }),
  ...Object.entries(views).map(
    ([name, rows]) =>
      `CREATE VIEW ${pg}.${name} AS ${rows.map((each) => select(name, each)).join(' UNION ALL ')}`,
  ),
  ...createMacros(Object.fromEntries(Object.entries(macros).filter(([name]) => name !== 'format_type'))),
].join(';\n')
