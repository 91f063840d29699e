import { ownCatalog } from '../../duckdb/quote.js'
import { functions, catalogFunctions, namesOfObjects, always, type Macros } from './functions.js'
import { pg } from './names.js'
import { valueFunctions } from './valueFunctions.js'
import { relationMaps, relations, informationSchema } from './relations.js'
import { typeOid, typeTables, emptyTables, server } from './typeTables.js'

const views = {
  ...emptyTables,
  ...typeTables,
  ...relationMaps,
  ...relations,
  ...server,
  ...Object.fromEntries(
    Object.entries(informationSchema).map(([name, sql]) => [`information_schema_${name}`, sql]),
  ),
}
const macros: Macros = { ...catalogFunctions, ...namesOfObjects, ...functions, ...valueFunctions }

/** Views use these macros, so they are created before the views. */
const first: Macros = { type_oid: always(typeOid, 't'), format_type: macros.format_type! }

const createMacros = (of: Macros) =>
  Object.entries(of).map(([name, forms]) => {
    const written = forms.map(([parameters, sql]) => `(${parameters}) AS ${sql}`)
    return `CREATE OR REPLACE MACRO ${pg}.${name}${written.join(', ')}`
  })

export const catalogViews: ReadonlySet<string> = new Set(Object.keys(views))
export const catalogMacros: ReadonlySet<string> = new Set(Object.keys(macros))

/** Creates what Postgres's tools ask for first and DuckDB's own `pg_catalog` lacks. One call takes half as long as 114. */
export const createCatalog: string = [
  `ATTACH IF NOT EXISTS ':memory:' AS ${ownCatalog}`,
  `CREATE SCHEMA IF NOT EXISTS ${pg}`,
  ...createMacros(first),
  ...Object.entries(views).map(([name, sql]) => `CREATE OR REPLACE VIEW ${pg}.${name} AS ${sql}`),
  ...createMacros(macros),
].join(';\n')
