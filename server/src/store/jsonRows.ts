/**
 * A table from `$rows`, one JSON text with an array of objects: handing DuckDB a list of single values
 * takes this thread ten times as long. The text is made a column first, because a constant would be
 * read while the statement is planned, value by value, which takes three times as long.
 */
export const jsonRows = (columns: Readonly<Record<string, string>>): string =>
  `(SELECT unnest(from_json(document, '[${JSON.stringify(columns)}]'), recursive := true)
    FROM (SELECT unnest([$rows]) AS document))`
