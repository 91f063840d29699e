/** A JSON pointer to a field, in which every name stands for itself: elsewhere `$` begins a path. */
export const pointerSql = (name: string): string => `'/' || replace(replace(${name}, '~', '~0'), '/', '~1')`
