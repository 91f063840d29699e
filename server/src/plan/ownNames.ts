/** The events of waymark's own plugins, which no plan lists: they are always valid, as is each event of a name with `$`. */
export const ownEvents: ReadonlySet<string> = new Set([
  'Error Caught',
  'File Downloaded',
  'Form Submitted',
  'Outbound Link Clicked',
  'Page Engaged',
  'Web Vital',
])

const utm = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']
const clickIds = ['gclid', 'dclid', 'fbclid', 'msclkid', 'ttclid', 'twclid', 'li_fat_id']
const touched = [...utm, ...clickIds, 'referrer', 'landing_url']

/** What the library and its plugins add to events of any name, besides the properties with `$`. */
export const ownProperties: ReadonlySet<string> = new Set([
  ...['insert_id', 'browser_time_zone', 'form_id', 'form_name', 'form_action'],
  ...clickIds,
  ...touched.flatMap((name) => [`first_${name}`, `last_${name}`]),
])
