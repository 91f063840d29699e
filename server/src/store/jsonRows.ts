/**
 * A table from `$rows`, one JSON text with an array of objects: handing DuckDB a list of single values
 * takes this thread ten times as long.
 */
export const jsonRows = (columns: Readonly<Record<string, string>>): string =>
  `(SELECT unnest(from_json($rows, '[${JSON.stringify(columns)}]'), recursive := true))`
