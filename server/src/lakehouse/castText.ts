/** SQL that makes a text a value of a column's type; the cast fails where the value does not fit. */
export const castText = (text: string, type: string): string => {
  if (type === 'VARCHAR') return text
  // DuckDB would drop the zone of a text that it reads straight into a TIMESTAMP; nanoseconds keep it.
  return type.startsWith('TIMESTAMP') && type !== 'TIMESTAMP_NS'
    ? `${text}::TIMESTAMPTZ::${type}`
    : `${text}::${type}`
}
