import { drawChart } from './chart.js'
import { query } from './query.js'
import { table } from './table.js'

const minutesShown = 30
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

const latestSql = `
  SELECT epoch_ms(received_at), event, coalesce(person_id, distinct_id, '')
  FROM events ORDER BY received_at DESC LIMIT 8`
const peopleSql = `
  SELECT coalesce(traits->>'name', person_id), traits->>'plan', events, epoch_ms(last_seen)
  FROM persons ORDER BY last_seen DESC NULLS LAST LIMIT 6`
const minutesSql = (/** @type {number} */ since) => `
  SELECT epoch_ms(received_at) // 60000 AS minute, count(*)
  FROM events WHERE epoch_ms(received_at) >= ${since * 60_000} GROUP BY 1`

const time = (/** @type {unknown} */ ms) => (ms === null ? '–' : clock.format(Number(ms)))
const named = (/** @type {string[]} */ ...names) => names.map((name) => ({ name }))
const put = (/** @type {string} */ selector, /** @type {Node} */ node) =>
  document.querySelector(selector).replaceChildren(node)

async function show() {
  const now = Math.floor(Date.now() / 60_000)
  const first = now - minutesShown + 1
  const answers = await Promise.all(
    [minutesSql(first), latestSql, peopleSql, 'SELECT count(*) FROM events'].map((sql) => query(sql)),
  )
  const [minutes, latest, people, stored] = answers.map(({ rows }) => rows)
  drawChart(
    minutes.map(([minute, count]) => [Number(minute), Number(count)]),
    first,
    now,
  )
  put(
    '#latest',
    table(
      named('received', 'event', 'person'),
      latest.map(([at, ...rest]) => [time(at), ...rest]),
    ),
  )
  const seen = people.map(([who, plan, events, at]) => [who, plan, events, time(at)])
  put('#people', table(named('person', 'plan', 'events', 'last seen'), seen))
  document.querySelector('#n-stored').textContent = String(stored[0][0])
  document.querySelector('#about-stored').textContent = 'by everyone'
}

/** Says why there is no newer answer. */
function stale(/** @type {string} */ why) {
  const hasOne = document.querySelector('#latest').hasChildNodes()
  document.body.classList.add('is-stale')
  document.querySelector('#chart-caption').textContent = hasOne
    ? `${why} What is shown is the last answer.`
    : why
}

/**
 * Keeps DuckDB's answers fresh: at once when the service took something, else every second while they are seen.
 * @param {{ isShown: () => boolean, lost: () => void }} options
 */
export function startAnswers({ isShown, lost }) {
  let isAsking = false
  let again = false

  const refresh = async () => {
    if (!isShown() || document.hidden) return
    // The browser would print a line for each question that nobody answers; the demo's own server knows.
    if (document.body.classList.contains('service-off')) {
      stale('The service is off.')
      return lost()
    }
    again = isAsking
    if (isAsking) return
    isAsking = true
    try {
      await show()
      document.body.classList.remove('is-stale')
    } catch (problem) {
      stale(problem.message)
      if (problem.unreachable) lost()
    }
    isAsking = false
    if (again) void refresh()
  }
  setInterval(refresh, 1000)
  void refresh()
  return { refresh }
}
