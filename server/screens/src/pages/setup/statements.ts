import { type Sql, sql } from '../../data/sql'

/** Whether there is anything to show: the first event that is found answers it. */
export const hasEvents = ({ environment, bots }: { environment: string; bots: boolean }): Sql =>
  sql`SELECT count(*) FROM (
  SELECT 1 FROM analytics.events WHERE environment = ${environment}${bots ? sql`` : sql` AND bot IS NULL`} LIMIT 1
)`

/** The newest event of people and of bots in each environment: of the last hour, or of all time. */
export const newestArrivals = (reach: 'hour' | 'ever'): Sql => sql`SELECT
  environment, bot IS NOT NULL AS is_bot, max(received_at) AS received_at,
  arg_max(event, event_id) AS event, arg_max(coalesce(url, ''), event_id) AS url,
  bool_or(regexp_matches(url, '[?&]utm_source=.')) AND count(utm_source) = 0 AS lacks_campaigns
FROM analytics.events${reach === 'hour' ? sql`\nWHERE received_at >= now() - INTERVAL '1 hour'` : sql``}
GROUP BY ALL`
