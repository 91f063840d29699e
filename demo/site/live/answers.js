import { drawChart } from './chart.js'
import { query } from './query.js'
import { table } from './table.js'

const minutesShown = 30
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

// One name for one person, wherever it is shown: the name given at the sign-up, else the beginning of the id. The
// tables by their full names, because a visitor may make one that is called `events`.
const nameSql = `coalesce(persons.traits->>'name', left(person_id, 14), '')`
const latestSql = `
  SELECT epoch_ms(received_at), event, ${nameSql}
  FROM (FROM analytics.events ORDER BY event_id DESC LIMIT 8) AS latest
    LEFT JOIN analytics.persons USING (environment, person_id)
  ORDER BY event_id DESC`
const peopleSql = `
  SELECT ${nameSql}, traits->>'plan', events, epoch_ms(last_seen)
  FROM analytics.persons ORDER BY last_seen DESC NULLS LAST LIMIT 6`
const minutesSql = (/** @type {number} */ since) => `
  SELECT epoch_ms(received_at) // 60000 AS minute, count(*)
  FROM analytics.events WHERE epoch_ms(received_at) >= ${since * 60_000} GROUP BY 1`
const countSql = 'SELECT count(*) FROM analytics.events'

const time = (/** @type {unknown} */ ms) => (ms === null ? '–' : clock.format(Number(ms)))
const named = (/** @type {string[]} */ ...names) => names.map((name) => ({ name }))
const put = (/** @type {string} */ selector, /** @type {Node} */ node) =>
  document.querySelector(selector).replaceChildren(node)

async function show() {
  const now = Math.floor(Date.now() / 60_000)
  const first = now - minutesShown + 1
  const answers = await Promise.all(
    [minutesSql(first), latestSql, peopleSql, countSql].map((sql) => query(sql)),
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

/**
 * Keeps DuckDB's answers fresh: at once when the service took something, else every second while they are seen. While
 * the service is off nothing is asked of it.
 * @param {{ isShown: () => boolean, service: { isOn: () => boolean, look: () => void } }} options
 */
export function startAnswers({ isShown, service }) {
  let isAsking = false
  let again = false
  let hasAnswer = false

  const sayStale = (/** @type {string} */ why) => {
    document.body.classList.add('is-stale')
    const rest = hasAnswer ? 'What is shown is the last answer.' : 'There is no answer to show yet.'
    document.querySelector('#chart-caption').textContent = `${why} ${rest}`
  }
  const refresh = async () => {
    if (!isShown() || document.hidden) return
    if (!service.isOn()) return sayStale('The service is off.')
    again = isAsking
    if (isAsking) return
    isAsking = true
    try {
      await show()
      hasAnswer = true
      document.body.classList.remove('is-stale')
    } catch (problem) {
      sayStale(problem.message)
      if (problem.unreachable) service.look()
    }
    isAsking = false
    if (again) void refresh()
  }
  setInterval(() => {
    if (!service.isOn() && !document.hidden) service.look()
    void refresh()
  }, 1000)
  void refresh()
  return { refresh }
}
