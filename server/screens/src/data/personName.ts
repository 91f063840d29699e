import { type Sql, sql } from './sql'

/** What a person is called, of a column with traits and one with the id. */
export const personName = (traits: Sql, id: Sql): Sql =>
  sql`coalesce(nullif(prop(${traits}, 'name'), ''), nullif(prop(${traits}, 'email'), ''), ${id})`
