import { isSymbol, tokenize } from './tokenize.js'

/** What a guest's statement may read: figures of events and sessions, and the columns and values of a page's tables. */
const relations = new Set(
  (
    'events page_views sessions totals daily breakdown session_breakdown funnel retention paths web_vitals errors ' +
    'goal_events ' +
    'prop prop_number vital_rating'
  ).split(' '),
)
/** Answers write a column in quotes when a reader has chosen it, or when its name is a word of SQL. */
const columns = new Set(
  (
    'path entry exit event channel referrer_host utm_source utm_medium utm_campaign utm_term utm_content ' +
    'browser os device screen_class country language release host viewport ' +
    'timestamp time day rows first'
  ).split(' '),
)
const forbidden = new Set(
  (
    'persons traits identities identity_traits id_map raw saved rejected funnel_people ' +
    'distinct_id anonymous_id device_id user_id click_id stack read_person'
  ).split(' '),
)

/**
 * The first name by which a statement would tell of one person, browser or visit; undefined for one of figures alone.
 * The service makes a guest's statement itself: this is the second wall, for a mistake in what makes it.
 */
export const findPersonal = (sql: string): string | undefined => {
  const { tokens } = tokenize(sql)
  const found = tokens.find(({ kind, text }, at) => {
    if (kind === 'name') return !columns.has(text)
    if (kind !== 'word') return false
    const word = text.toLowerCase()
    const isRelation = isSymbol(tokens[at - 1], '.') && tokens[at - 2]?.text === 'analytics'
    return forbidden.has(word) || (isRelation && !relations.has(word))
  })
  return found?.text
}
