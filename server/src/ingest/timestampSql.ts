/**
 * A timestamp column from the text `ts`: Unix milliseconds or ISO 8601, checked when it was accepted.
 * Texts in UTC, which are nearly all, take the way that needs no calendar.
 */
export const timestampSql = `coalesce(
  CASE WHEN ends_with(ts, 'Z') THEN TRY_CAST(ts AS TIMESTAMP)
    WHEN contains(ts, ':') THEN TRY_CAST(ts AS TIMESTAMPTZ)::TIMESTAMP
    ELSE epoch_ms(TRY_CAST(TRY_CAST(ts AS DOUBLE) AS BIGINT)) END, received_at)`
