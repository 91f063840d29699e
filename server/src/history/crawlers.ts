import { quoteText } from '../duckdb/quote.js'
import { type Reader, Unreadable, urlSql } from './reading.js'

/** What `waymark-server crawlers` has read out of an access log: a page view as `noteCrawler` notes it, one a row. */
export const crawlers: Reader = (tables, { site }) => {
  const [rows, ...others] = tables
  if (rows === undefined || others.length > 0 || !rows.has('time', 'url', 'user_agent', 'crawler'))
    throw new Unreadable('An access log is brought by waymark-server crawlers FILE.')
  return {
    kind: 'events',
    from: rows.source,
    event: {
      time: rows.text('time'),
      event: `'$pageview'`,
      anonymous_id: rows.text('crawler'),
      builtIn: {
        url: urlSql(rows.text('url'), quoteText(site)),
        user_agent: rows.text('user_agent'),
        device_type: `'bot'`,
      },
    },
  }
}
