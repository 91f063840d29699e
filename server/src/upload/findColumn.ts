/** A column by its name, which SQL reads without case. */
export const findColumn = <T extends { name: string }>(columns: readonly T[], name: string): T | undefined =>
  columns.find((column) => column.name.toLowerCase() === name.toLowerCase())
