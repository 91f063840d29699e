/** Macros by their names: the overloads of each, with its parameters and the SQL of its result. */
export type Macros = Record<string, [parameters: string, sql: string][]>

/** A macro that is the same for each list of parameters. */
export const always = (sql: string, ...parameters: string[]): Macros[string] =>
  parameters.map((each) => [each, sql])
