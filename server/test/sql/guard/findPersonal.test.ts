import { expect, it } from 'vitest'
import { findPersonal } from '../../../src/sql/guard/findUnread.js'

it.each([
  ['persons', 'SELECT count(*) FROM analytics.persons'],
  ['Persons', 'SELECT count(*) FROM Persons'],
  ['traits', 'SELECT analytics.prop(traits, $$email$$) FROM analytics.events'],
  ['person_id', 'SELECT "person_id" AS value, count(*) FROM analytics.events GROUP BY ALL'],
  ['distinct_id', 'SELECT distinct_id FROM analytics.events'],
  ['raw', 'FROM analytics.raw.events'],
  ['saved', 'FROM analytics.saved'],
  ['funnel_people', "FROM analytics.funnel_people(['a', 'b'], INTERVAL 1 DAY)"],
  ['touches', 'FROM analytics.touches()'],
])('finds %s in a statement', (name, statement) => {
  expect(findPersonal(statement)).toBe(name)
})

it('takes figures of people, and texts that look like names', () => {
  expect(
    findPersonal(`SELECT "path" AS value, count(DISTINCT person_id) FROM analytics.page_views
    WHERE event = 'persons' AND "browser" = '"person_id"' GROUP BY ALL -- traits`),
  ).toBeUndefined()
})
