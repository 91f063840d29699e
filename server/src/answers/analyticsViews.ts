import { eventsOfPersons } from '../schema/askedEvents.js'
import { analyticsCatalog, internalSchema, pointerSql, type View, viewSql } from '../duckdb/quote.js'
import { derivedComments, hostOf, screenClassSql, utmColumns } from '../schema/derivedColumns.js'
import { answers } from './macros/index.js'
import { boundedJson } from '../duckdb/boundedJson.js'
import { allEvents } from '../schema/analyticsSchema.js'
import { microsecondsFromMs, secondsBelowMs } from '../payloads/payloads.js'

/** Where the name of a property ends: no problem has a colon of its own, but a name may. */
const colon = `strpos(e.plan_problem, ': ')`

/** What stands for an event's name where traits are not as planned: no other event has it in this view. */
const ofTraits = '$identify'

/** Verdicts without the traits themselves, which readers need not see. */
const planTraits: View = {
  name: 'plan_traits',
  comment: 'What the plan says of the traits of each identify, one a row.',
  from: 'analytics.raw.traits t WHERE t.plan_verdict IS NOT NULL',
  columns: [
    ['environment', 't.environment', 'Environments are apart.'],
    ['timestamp', 't."timestamp"', 'When it was said.'],
    ['plan_verdict', 't.plan_verdict', 'Valid or invalid.'],
    ['plan_problem', 't.plan_problem', 'The first problem, such as seats: must be a number.'],
  ],
}

const planDrift: View = {
  name: 'plan_drift',
  comment: 'What is sent and is not in the plan: one row for each event, property, problem and release.',
  from: `(
      SELECT environment, event, plan_problem, release, "timestamp"
      FROM ${allEvents} WHERE plan_verdict IN ('unplanned', 'invalid')
      UNION ALL
      SELECT environment, '${ofTraits}', plan_problem, NULL, "timestamp"
      FROM analytics.raw.traits WHERE plan_verdict = 'invalid'
    ) e GROUP BY e.environment, e.event, e.plan_problem, e.release`,
  columns: [
    ['environment', 'e.environment', 'Environments are apart.'],
    ['event', 'e.event', `The name of the event; ${ofTraits} for what was said of users.`],
    [
      'property',
      `left(e.plan_problem, ${colon} - 1)`,
      'The property; NULL for an event that is not in the plan.',
    ],
    [
      'problem',
      `coalesce(substr(e.plan_problem, ${colon} + 2), 'is not in the plan')`,
      'What is wrong with it, such as must be a number.',
    ],
    ['release', 'e.release', 'The property $release.'],
    ['first_seen', 'min(e."timestamp")', 'When the first such event happened.'],
    ['last_seen', 'max(e."timestamp")', 'When the last one happened.'],
    ['events', 'count(*)', 'How many there are, of events or of what was said of users.'],
  ],
}

const property = (name: string) => `The property ${name}.`

const views: readonly View[] = [
  {
    name: 'events',
    comment: 'Every event, one a row, with the person it belongs to by now.',
    from: eventsOfPersons,
    columns: [
      ['event_id', 'e.seq', 'Grows in the order in which the service accepted the events.'],
      ['received_at', 'e.received_at', 'When the service accepted the event.'],
      ['timestamp', 'e."timestamp"', 'When it happened, as the client says; else when it was received.'],
      [
        'timestamp_problem',
        `CASE WHEN abs(epoch_ms(e."timestamp")) < ${secondsBelowMs} THEN 'seconds'
          WHEN abs(epoch_ms(e."timestamp")) >= ${microsecondsFromMs} THEN 'microseconds' END`,
        'seconds, or microseconds: what the client gave where milliseconds are read, so that it is a time of about 1970, or after the year 9999; else NULL.',
      ],
      ['environment', 'e.environment', 'Environments are apart: an id in one says nothing in another.'],
      ['event', 'e.event', 'The name, such as $pageview or Order Placed.'],
      ['distinct_id', 'e.distinct_id', 'The user or visitor, as sent.'],
      ['anonymous_id', 'e.anonymous_id', 'The id from before the user was known, as sent.'],
      ['device_id', 'e.device_id', 'The device, as sent.'],
      ['session_id', 'e.session_id', 'The visit, as sent.'],
      [
        'person_id',
        'coalesce(m.person_id, e.distinct_id, e.anonymous_id)',
        'Who it was: the id that remained after identify and alias. Count persons by this.',
      ],
      [
        'insert_id',
        'e.insert_id',
        'The property insert_id, by which a second copy of an event of this name is known.',
      ],
      ['url', 'e.url', property('$url')],
      ['host', hostOf('e.url'), 'The host of url, with its port if it has one.'],
      ['path', 'e.path', 'The path of url, without query and fragment.'],
      ['referrer', 'e.referrer', property('$referer')],
      ...utmColumns.map((name) => [name, `e.${name}`, derivedComments[name]] as const),
      ['click_id', 'e.click_id', derivedComments.click_id],
      ['lib', 'e.lib', property('$lib')],
      ['lib_version', 'e.lib_version', property('$lib_version')],
      ['release', 'e.release', property('$release')],
      ['os', 'e.os', derivedComments.os],
      ['browser', 'e.browser', derivedComments.browser],
      ['device', 'e.device', derivedComments.device],
      ['language', 'e.language', derivedComments.language],
      ['country', 'e.country', derivedComments.country],
      ['viewport', 'e.viewport', property('$viewport')],
      ['screen_class', screenClassSql('e.viewport'), derivedComments.screen_class],
      [
        'bot',
        'e.bot',
        'Why no person seems to have done it, such as AI crawler GPTBot, automation or impossible speed; else NULL.',
      ],
      ['anonymous', 'e.anonymous', derivedComments.anonymous],
      ['imported', 'e.imported', derivedComments.imported],
      [
        'plan_verdict',
        'e.plan_verdict',
        'valid, unplanned or invalid, by the plan of --plan when it was accepted; NULL without one.',
      ],
      ['plan_problem', 'e.plan_problem', 'Why it is invalid, such as total: must be a number; else NULL.'],
      ['properties', 'e.properties', "All properties as sent. prop(properties, 'name') gives one as text."],
    ],
  },
  {
    name: 'persons',
    comment: 'Every person, one a row: all ids that were linked or merged are one person.',
    from: 'analytics.raw.persons p',
    columns: [
      ['environment', 'p.environment', 'The environment that the person belongs to.'],
      ['person_id', 'p.person_id', 'The id that remained after identify and alias.'],
      ['distinct_ids', 'p.distinct_ids', 'All ids of the person, sorted.'],
      [
        'traits',
        `to_json(map_from_entries(list_transform(p.traits, lambda t: {'k': t.name, 'v': t.value})))::JSON`,
        'The latest value of each trait.',
      ],
      ['first_seen', 'p.first_seen', 'When the first event, or the first identify, happened.'],
      ['last_seen', 'p.last_seen', 'When the last one happened.'],
      ['events', 'p.events', 'How many events there are.'],
    ],
  },
  {
    name: 'identities',
    comment: 'Every id, one a row, with the person it belongs to.',
    from: `(SELECT environment, person_id, unnest(distinct_ids) AS distinct_id FROM analytics.raw.persons) p
      LEFT JOIN analytics.raw.id_map m
        ON m.environment = p.environment AND m.distinct_id = p.distinct_id`,
    columns: [
      ['environment', 'p.environment', 'The environment that the id belongs to.'],
      ['distinct_id', 'p.distinct_id', 'A user id or an anonymous id.'],
      ['person_id', 'p.person_id', 'The person it belongs to, as in events and persons.'],
      [
        'identified',
        'coalesce(m.identified, false)',
        'Whether identify or alias named it as a user; false for an anonymous id.',
      ],
    ],
  },
  {
    name: 'identity_traits',
    comment: 'The latest value of each trait of each person, one a row.',
    from: `(SELECT environment, person_id, unnest(traits) AS t FROM analytics.raw.persons) p`,
    columns: [
      ['environment', 'p.environment', 'The environment that the person belongs to.'],
      ['person_id', 'p.person_id', 'The person, as in events and persons.'],
      ['name', 'p.t.name', 'The name of the trait.'],
      ['value', 'p.t.value', "The value as JSON. value->>'$' gives it as text."],
      ['timestamp', 'p.t."timestamp"', 'When it was set.'],
    ],
  },
  planDrift,
  planTraits,
]

const numberOf = `TRY_CAST(json_extract_string(properties, ${pointerSql('name')}) AS DOUBLE)`

const macros = `
CREATE OR REPLACE MACRO analytics.main.prop(properties, name) AS
  json_extract_string(properties, ${pointerSql('name')});
COMMENT ON MACRO analytics.main.prop IS 'A property as text; NULL when there is none.';
CREATE OR REPLACE MACRO analytics.main.prop_number(properties, name) AS
  CASE WHEN isfinite(${numberOf}) THEN ${numberOf} END;
COMMENT ON MACRO analytics.main.prop_number IS 'A property as a finite number; NULL when it is none.';
`

/**
 * These macros leave the service's own tables out of all listings. Everything that lists relations (SHOW,
 * DESCRIBE, information_schema, pg_catalog) calls these functions by their names, which are looked for
 * along the connection's search path. There `analytics.main` comes before DuckDB's own functions.
 */
const listings = ['tables', 'columns', 'views', 'schemas']
  .map(
    (kind) => `
CREATE OR REPLACE MACRO analytics.main.duckdb_${kind}() AS TABLE FROM system.main.duckdb_${kind}()
WHERE schema_name <> '${internalSchema}' AND NOT (database_name = '${analyticsCatalog}' AND schema_name = 'raw');`,
  )
  .join('')

/** The statements that make all views and macros that users see of the catalog `analytics`. */
export const analyticsViews = `${views.map(viewSql).join('\n')}${macros}${boundedJson}${answers}${listings}`
