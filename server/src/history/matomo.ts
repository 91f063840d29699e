import { membersSql, type Reader, type Row, sumsOf, Unreadable } from './reading.js'

const sumColumns = {
  day: ['date'],
  dimensions: {},
  figures: {
    visitors: ['nb_uniq_visitors', 'Unique visitors'],
    visits: ['nb_visits', 'Visits'],
    page_views: ['nb_pageviews', 'Pageviews'],
    events: ['nb_actions', 'Actions'],
    bounces: ['bounce_count', 'Bounces'],
    visit_seconds: ['sum_visit_length', 'Total time spent by visitors (in seconds)'],
  },
}

/** What an action is called here, by its type; an event of the site's own has its own name. */
const names = {
  action: '$pageview',
  outlink: 'Outbound Link',
  download: 'File Download',
  search: 'Site Search',
  ecommerceOrder: 'Order',
  ecommerceAbandonedCart: 'Abandoned Cart',
}

const ofAction = (name: string) => `nullif(json_extract_string(r0.action, '/${name}'), '')`

const visits = (rows: Row): ReturnType<Reader> => {
  const actions = `(SELECT *, unnest(actions) AS action, generate_subscripts(actions, 1) AS place
    FROM (SELECT r0.*, from_json(${rows.json('actionDetails')}, '["JSON"]') AS actions FROM ${rows.source})) r0`
  const type = ofAction('type')
  const isLink = `${type} IN ('outlink', 'download')`
  const ofCampaign = (text: string) => `CASE WHEN ${rows.text('referrerType')} = 'campaign' THEN ${text} END`
  const time = `coalesce(${ofAction('timestamp')}, ${rows.text('serverTimestamp')})`
  return {
    kind: 'events',
    from: actions,
    event: {
      time: `(1000 * TRY_CAST(${time} AS BIGINT))::VARCHAR`,
      event: `CASE ${type} ${Object.entries(names)
        .map(([from, to]) => `WHEN '${from}' THEN '${to}'`)
        .join(
          ' ',
        )} WHEN 'event' THEN ${ofAction('eventAction')} WHEN 'goal' THEN 'Goal: ' || ${ofAction('goalName')} ELSE ${type} END`,
      distinct_id: rows.text('userId'),
      anonymous_id: rows.text('visitorId'),
      session_id: rows.text('idVisit'),
      insert_id: `${rows.text('idVisit')} || '-' || r0.place`,
      builtIn: {
        url: `CASE WHEN NOT ${isLink} THEN ${ofAction('url')} END`,
        referer: `CASE WHEN r0.place = 1 THEN ${rows.text('referrerUrl')} END`,
        browser: rows.text('browserName'),
        os: rows.text('operatingSystemName'),
        device: rows.text('deviceType'),
        country: rows.text('countryCode'),
        language: rows.text('languageCode'),
        utm_campaign: ofCampaign(rows.text('campaignName', 'referrerName')),
        utm_term: ofCampaign(rows.text('campaignKeyword', 'referrerKeyword')),
        utm_source: ofCampaign(rows.text('campaignSource')),
        utm_medium: ofCampaign(rows.text('campaignMedium')),
      },
      properties: membersSql([
        ['title', ofAction('pageTitle')],
        ['link', `CASE WHEN ${isLink} THEN ${ofAction('url')} END`],
        ['category', ofAction('eventCategory')],
        ['name', ofAction('eventName')],
        ['value', `TRY_CAST(${ofAction('eventValue')} AS DOUBLE)`],
        ['keyword', ofAction('siteSearchKeyword')],
        ['order_id', ofAction('orderId')],
        ['revenue', `TRY_CAST(${ofAction('revenue')} AS DOUBLE)`],
        ['region', rows.text('region')],
        ['city', rows.text('city')],
      ]),
    },
  }
}

/** Visits with their actions as JSON of `Live.getLastVisitsDetails`, or `VisitsSummary.get` of days as CSV. */
export const matomo: Reader = (tables) => {
  const rows = tables.find((each) => each.has('idVisit', 'visitorId', 'actionDetails'))
  if (rows !== undefined) return visits(rows)
  const statements = tables.flatMap((each) => sumsOf(each, sumColumns))
  if (statements.length === 0)
    throw new Unreadable(
      'The file has neither visits as JSON (idVisit, visitorId, actionDetails) nor sums of days as CSV (date, nb_visits).',
    )
  return { kind: 'sums', statements }
}
