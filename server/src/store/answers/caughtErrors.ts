import type { View } from '../viewSql.js'

const same = [
  ['environment', 'Environments are apart.'],
  ['event_id', 'As in events.'],
  ['timestamp', 'When it happened.'],
  ['person_id', 'Whom it happened to, as in events and persons.'],
  ['session_id', 'The visit, as sent.'],
  ['path', 'The path of the page.'],
  ['release', 'The property $release.'],
  ['browser', 'As in events.'],
  ['os', 'As in events.'],
  ['device', 'As in events.'],
] as const
const said = [
  ['message', 'What the error says.'],
  ['name', 'Its name, such as TypeError.'],
  ['kind', 'error, or rejection of a promise that nobody handled.'],
  ['stack', 'Where it happened.'],
] as const

export const caughtErrors: View = {
  name: 'errors',
  comment: 'Every error that the plugin errors caught, one a row: the events named Error Caught.',
  from: `analytics.main.events e WHERE e.event = 'Error Caught'`,
  columns: [
    ...same.map(([name, comment]) => [name, `e."${name}"`, comment] as const),
    ...said.map(
      ([name, comment]) => [name, `analytics.main.prop(e.properties, '${name}')`, comment] as const,
    ),
    ['bot', 'e.bot', 'Why no person seems to have done it; else NULL.'],
  ],
}
