import { refuseField } from './refuse.js'

/** How the second line of an answer describes the columns: `{"name", "type"}` each, or their labels. */
export const columnsForms = ['objects', 'labels'] as const
export type ColumnsForm = (typeof columnsForms)[number]

/** Clients that say who they are in `User-Agent`, and can read labels only (docs/api.md, "Clients"). */
const readersOfLabels: ReadonlySet<string> = new Set([
  'altertable-lakehouse-js',
  'altertable-lakehouse-ruby',
  'altertable-lakehouse-php',
  'altertable-lakehouse-java',
  'altertable-cli',
])

const isForm = (text: string): text is ColumnsForm => (columnsForms as readonly string[]).includes(text)

/** The names in `altertable-cli/1.2 (linux)`, without their versions. */
const productsOf = (userAgent: string): string[] =>
  userAgent.split(/[\s();,]+/).map((product) => product.split('/', 1)[0]!.toLowerCase())

/** The query parameter `columns`. */
export const readColumns = (search: string): ColumnsForm | undefined => {
  const given = new URLSearchParams(search).get('columns')
  if (given === null || isForm(given)) return given ?? undefined
  throw refuseField(`columns must be one of ${columnsForms.join(', ')}.`)
}

/** Chooses what the request asked for, then what the client is known to read, then the service's default. */
export const columnsFormOf = (
  asked: ColumnsForm | null | undefined,
  userAgent: string | undefined,
  byDefault: ColumnsForm,
): ColumnsForm => {
  if (asked !== undefined && asked !== null) return asked
  return productsOf(userAgent ?? '').some((product) => readersOfLabels.has(product)) ? 'labels' : byDefault
}
