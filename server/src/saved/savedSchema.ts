import { viewSql } from '../store/viewSql.js'

export const savedKinds = ['goal', 'view', 'annotation', 'link'] as const
export type SavedKind = (typeof savedKinds)[number]

/** The table and view of what users have saved. */
export const savedSchema = `
CREATE TABLE IF NOT EXISTS analytics.raw.saved (
  kind VARCHAR, name VARCHAR, value JSON, changed_by VARCHAR, changed_at TIMESTAMPTZ
);
${viewSql({
  name: 'saved',
  comment: 'The goals, views, annotations and links for guests that users have saved, one a row.',
  from: 'analytics.raw.saved s',
  columns: [
    ['kind', 's.kind', 'goal, view, annotation or link.'],
    ['name', 's.name', 'What it is called; of an annotation an id.'],
    ['value', 's.value', 'As it was sent to /saved; of a link also the hash of its token.'],
    ['changed_by', 's.changed_by', 'The user who saved it last.'],
    ['changed_at', 's.changed_at', 'When that was.'],
  ],
})}
`

/** `value` with its signs of percent read twice: once for the address, once for the parts of a filter. */
const address = `('&' || url_decode(url_decode(replace(t.value->>'search', '+', ' '))) || '&')`
const bounds = [
  ['|', '|'],
  ['|', '&'],
  ['&id=', '&'],
] as const
const places = bounds.map(([before, after]) => `contains(${address}, '${before}' || x.id || '${after}')`)

/** Whether a row `t` of the table names an id `x.id`: a goal by its value, a view by a filter or the page of a person. */
export const namesId = `(t.value->>'value' = x.id OR ${places.join(' OR ')})`

const decode = (text: string): string => {
  const bytes = Buffer.from(text).toString('latin1')
  const read = bytes.replaceAll(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  )
  return Buffer.from(read, 'latin1').toString()
}

/** What `namesId` says, of a value that is in no table. */
export const doesNameId = (value: object, id: string): boolean => {
  const { value: wanted, search } = value as Record<string, unknown>
  if (wanted === id) return true
  if (typeof search !== 'string') return false
  const text = `&${decode(decode(search.replaceAll('+', ' ')))}&`
  return bounds.some(([before, after]) => text.includes(before + id + after))
}
