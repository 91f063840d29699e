/** The addresses of a view, a link, or a board and its cards, one behind the other. */
const searches = `concat_ws('&', t.value->>'search', array_to_string(t.value->>'$.cards[*].search', '&'))`
/** What an address says. Codes that are no text in UTF-8, as of Latin-1, are of something unknown. */
const decoded = (text: string) =>
  `coalesce(TRY(url_decode(${text})), url_decode(regexp_replace(${text}, '(?i)%[89a-f][0-9a-f]', chr(65533), 'g')))`
/** Signs of percent are read twice: once for the address, once for the parts of a filter. */
const decodedTwice = (text: string) => decoded(decoded(`replace(${text}, '+', ' ')`))
const address = `lower('&' || ${decodedTwice(searches)} || '&')`
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
const isWordIn = (text: string) => `(length(x.id) >= ${minTellingLength} AND contains(${text}, lower(x.id))
  AND regexp_matches(${text}, '(^|[^${letter.slice(1)})' || regexp_escape(lower(x.id)) || '([^${letter.slice(1)}|$)'))`

/**
 * Whether a row `t` of the table names an id `x.id`: a goal by its value, a view or a card by a filter or the page of a
 * person, a link or a card by a value in what it asks, and each by a whole word of its name, of a text or of an
 * address; in any case, because filters compare so.
 */
export const namesId = `(lower(t.value->>'value') = lower(x.id) OR ${places.join(' OR ')} OR ${inAnswers} OR ${isWordIn(words)})`

/** Whether a row `t` of imported sums names an id `x.id` by a word of its value, which is often the path of a page. */
export const sumNamesId = `(x.environment = t.environment AND ${isWordIn(`lower(concat_ws(chr(10), t.value, CASE WHEN contains(t.value, '%') THEN ${decodedTwice('t.value')} END))`)})`

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

const isNamedIn = (texts: readonly unknown[], id: string): boolean =>
  [...id].length >= minTellingLength &&
  texts.some((text) => typeof text === 'string' && isWordOf(text.toLowerCase(), id))

const decodeTwice = (text: string) => decode(decode(text.replaceAll('+', ' ')))

/** What `sumNamesId` says, of a row of the log, whose environment is the id's. */
export const doesSumNameId = (value: string, id: string): boolean =>
  isNamedIn([value, decodeTwice(value)], id.toLowerCase())

/** What `namesId` says, of what is in no table. */
export const doesNameId = ({ name, value }: { name: string; value: object }, asWritten: string): boolean => {
  const id = asWritten.toLowerCase()
  const texts = value as Record<string, unknown>
  if (typeof texts['value'] === 'string' && texts['value'].toLowerCase() === id) return true
  const cards = (texts['cards'] ?? []) as readonly { search?: string }[]
  const shown = JSON.stringify([texts['answers'], texts['figures'], cards]).toLowerCase()
  if (shown.includes(JSON.stringify(id))) return true
  const all = [texts as { search?: string }, ...cards].flatMap(({ search }) => search ?? [])
  const ofAddress = `&${decodeTwice(all.join('&'))}&`.toLowerCase()
  if (bounds.some(([left, right]) => ofAddress.includes(left + id + right))) return true
  return isNamedIn([name, ofAddress, shown, ...fields.map((field) => texts[field])], id)
}
