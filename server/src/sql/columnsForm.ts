import { refuseField } from './refuse.js'

/** The names in `altertable-cli/1.2 (linux)`, without their versions. */
const productsOf = (userAgent: string): string[] =>
  userAgent.split(/[\s();,]+/).map((product) => product.split('/', 1)[0]!.toLowerCase())

/** Those of the published clients that read the columns as objects: Rust's reads nothing else. */
const readersOfObjects: ReadonlySet<string> = new Set([
  'altertable-lakehouse',
  'altertable-lakehouse-rust',
  'altertable-lakehouse-go',
  'altertable-lakehouse-python',
])

/**
 * The name by which a published client of the contract says in `User-Agent` who it is; undefined for everybody else.
 * All such names begin alike: `AltertableRuby`, `altertable-cli`.
 */
const publishedClient = (userAgent: string | undefined): string | undefined =>
  productsOf(userAgent ?? '').find((product) => /^altertable(-|[a-z])/.test(product))

export const isPublishedClient = (userAgent: string | undefined): boolean =>
  publishedClient(userAgent) !== undefined

/** Whether a published client reads the labels of columns only. */
export const readsLabels = (userAgent: string | undefined): boolean => {
  const client = publishedClient(userAgent)
  return client !== undefined && !readersOfObjects.has(client)
}

/** How the second line of an answer describes the columns: `{"name", "type"}` each, or their labels. */
export const columnsForms = ['objects', 'labels'] as const
export type ColumnsForm = (typeof columnsForms)[number]

const isForm = (text: string): text is ColumnsForm => (columnsForms as readonly string[]).includes(text)

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
  return readsLabels(userAgent) ? 'labels' : byDefault
}
