/** The addresses of a view, a link, or a board and its cards, one behind the other. */
const searches = `concat_ws('&', t.value->>'search', array_to_string(t.value->>'$.cards[*].search', '&'))`
/** `value` with its signs of percent read twice: once for the address, once for the parts of a filter. */
const address = `lower('&' || url_decode(url_decode(replace(${searches}, '+', ' '))) || '&')`
const bounds = [
  ['|', '|'],
  ['|', '&'],
  ['&id=', '&'],
] as const
const places = bounds.map(
  ([before, after]) => `contains(${address}, '${before}' || lower(x.id) || '${after}')`,
)

/** A shorter id may be a number or a word of any text; in an address and as a goal's value it counts all the same. */
const minTellingLength = 4
const fields = [
  'event',
  'property',
  'value',
  'text',
  'title',
  'owner',
  'answers',
  'cards',
  'figures',
] as const
/** What a link, the cards of a board, or an alert ask. */
const inAnswers = `contains(lower(concat(t.value->>'answers', t.value->>'cards', t.value->>'figures')), lower(to_json(x.id)::VARCHAR))`
const letter = String.raw`[\p{L}\p{N}_]`
const words = `lower(concat_ws(chr(10), t.name, ${fields.map((name) => `t.value->>'${name}'`).join(', ')}, ${address}))`
const asWord = `(length(x.id) >= ${minTellingLength}
  AND regexp_matches(${words}, '(^|[^${letter.slice(1)})' || regexp_escape(lower(x.id)) || '([^${letter.slice(1)}|$)'))`

/**
 * Whether a row `t` of the table names an id `x.id`: a goal by its value, a view or a card by a filter or the page of a
 * person, a link or a card by a value in what it asks, and each by a whole word of its name, of a text or of an
 * address; in any case, because filters compare so.
 */
export const namesId = `(lower(t.value->>'value') = lower(x.id) OR ${places.join(' OR ')} OR ${inAnswers} OR ${asWord})`

const decode = (text: string): string => {
  const bytes = Buffer.from(text).toString('latin1')
  const read = bytes.replaceAll(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  )
  return Buffer.from(read, 'latin1').toString()
}

const before = new RegExp(`${letter}$`, 'u')
const after = new RegExp(`^${letter}`, 'u')
const isWordOf = (text: string, id: string): boolean => {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1))
    if (!before.test(text.slice(0, at)) && !after.test(text.slice(at + id.length))) return true
  return false
}

/** What `namesId` says, of what is in no table. */
export const doesNameId = ({ name, value }: { name: string; value: object }, asWritten: string): boolean => {
  const id = asWritten.toLowerCase()
  const texts = value as Record<string, unknown>
  if (typeof texts['value'] === 'string' && texts['value'].toLowerCase() === id) return true
  const cards = (texts['cards'] ?? []) as readonly { search?: string }[]
  const shown = JSON.stringify([texts['answers'], texts['figures'], cards]).toLowerCase()
  if (shown.includes(JSON.stringify(id))) return true
  const all = [texts as { search?: string }, ...cards].flatMap(({ search }) => search ?? [])
  const decoded = `&${decode(decode(all.join('&').replaceAll('+', ' ')))}&`.toLowerCase()
  if (bounds.some(([left, right]) => decoded.includes(left + id + right))) return true
  return (
    [...id].length >= minTellingLength &&
    [name, decoded, shown, ...fields.map((field) => texts[field])].some(
      (text) => typeof text === 'string' && isWordOf(text.toLowerCase(), id),
    )
  )
}
