import { derivedComments, utmColumns } from '../derivedColumns.js'
import { foreignReferrer, hostOf } from '../urlParts.js'
import type { View } from '../viewSql.js'

const described = (name: keyof typeof derivedComments) => [name, derivedComments[name]] as const

const same = [
  ['environment', 'Environments are apart.'],
  ['event_id', 'As in events.'],
  ['timestamp', 'When it happened, as the client says; else when it was received.'],
  ['person_id', 'Who it was, as in events and persons.'],
  ['session_id', 'The visit, as sent.'],
  ['device_id', 'The device, as sent.'],
  ['url', 'The property $url.'],
  ['host', 'The host of url, with its port if it has one.'],
  ['path', 'The path of url, without query and fragment.'],
  ['referrer', 'The property $referer.'],
] as const
const more = [
  ...utmColumns.map(described),
  described('click_id'),
  described('browser'),
  described('os'),
  described('device'),
  described('language'),
  described('country'),
  ['viewport', 'The property $viewport.'],
  described('screen_class'),
] as const

const plain = ([name, comment]: readonly [string, string]) => [name, `e."${name}"`, comment] as const

export const pageViews: View = {
  name: 'page_views',
  comment: 'Every page view, one a row: the events named $pageview.',
  from: `analytics.main.events e WHERE e.event = '$pageview'`,
  columns: [
    ...same.map(plain),
    [
      'referrer_host',
      hostOf(foreignReferrer('e.referrer', 'e.url')),
      'The host of referrer; NULL where it is the page itself.',
    ],
    ...more.map(plain),
    ['anonymous', 'e.anonymous', derivedComments.anonymous],
    ['bot', 'e.bot', 'Why no person seems to have done it; else NULL.'],
  ],
}
