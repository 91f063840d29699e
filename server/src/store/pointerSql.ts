/** The SQL of a JSON pointer to a field. In a JSON path a name that begins with `$` would have another meaning. */
export const pointerSql = (name: string): string => `'/' || replace(replace(${name}, '~', '~0'), '/', '~1')`
