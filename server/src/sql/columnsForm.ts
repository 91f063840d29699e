import { readsLabels } from './publishedClient.js'
import { refuseField } from './refuse.js'

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
