import { type Reader, sumsOf, Unreadable } from './reading.js'

const columns = {
  day: ['date'],
  dimensions: {
    page: ['page'],
    entry_page: ['entry_page'],
    exit_page: ['exit_page'],
    source: ['source'],
    referrer: ['referrer'],
    utm_source: ['utm_source'],
    utm_medium: ['utm_medium'],
    utm_campaign: ['utm_campaign'],
    utm_content: ['utm_content'],
    utm_term: ['utm_term'],
    country: ['country'],
    region: ['region'],
    city: ['city'],
    device: ['device'],
    browser: ['browser'],
    os: ['operating_system'],
    event: ['name'],
  },
  figures: {
    visitors: ['visitors'],
    visits: ['visits', 'entrances', 'exits'],
    page_views: ['pageviews'],
    events: ['events'],
    bounces: ['bounces'],
    visit_seconds: ['visit_duration'],
  },
}

/** The files `imported_….csv` of an export, which has sums of days and no events. */
export const plausible: Reader = (tables) => {
  const statements = tables.flatMap((rows) => sumsOf(rows, columns))
  if (statements.length === 0)
    throw new Unreadable('No file has the columns date and visitors, as those of imported_visitors have.')
  return { kind: 'sums', statements }
}
