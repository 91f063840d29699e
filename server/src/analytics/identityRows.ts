import { BOOLEAN, type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import { type IdentityOperation, type IdRow, keyOf } from './resolveIdentity.js'

interface Ids {
  environments: string[]
  ids: string[]
}

const idsSql = '(SELECT unnest($environments) AS environment, unnest($ids) AS id)'

const toRows = (rows: unknown[][]): IdRow[] =>
  rows.map(([environment, distinctId, personId, identified]) => ({
    environment: environment as string,
    distinctId: distinctId as string,
    personId: personId as string,
    identified: identified as boolean,
  }))

const select = async (
  connection: DuckDBConnection,
  key: 'id_key' | 'person_key',
  { environments, ids }: Ids,
) => {
  if (ids.length === 0) return []
  const reader = await connection.runAndReadAll(
    `SELECT m.environment, m.distinct_id, m.person_id, m.identified FROM analytics.raw.id_map m
     SEMI JOIN (SELECT hash(environment, id) AS key FROM ${idsSql}) a ON m.${key} = a.key`,
    { environments: listValue(environments), ids: listValue(ids) },
    { environments: LIST(VARCHAR), ids: LIST(VARCHAR) },
  )
  return toRows(reader.getRows())
}

const named = (operations: readonly IdentityOperation[]): Ids => {
  const found: Ids = { environments: [], ids: [] }
  for (const operation of operations) {
    const ids =
      operation.kind === 'alias'
        ? [operation.from, operation.into]
        : operation.kind === 'link'
          ? [operation.user, operation.anonymous]
          : [operation.user]
    for (const id of ids) {
      found.environments.push(operation.environment)
      found.ids.push(id)
    }
  }
  return found
}

/** What resolveIdentity must know: the ids named, and all ids of the persons that may be merged away. */
export const readIdRows = async (
  connection: DuckDBConnection,
  operations: readonly IdentityOperation[],
): Promise<IdRow[]> => {
  const rows = await select(connection, 'id_key', named(operations))
  // An alias may merge a person that an operation before it has just given another id; a link only
  // one that has a single id, which is seen by asking for all of them.
  const linked = new Set(
    operations.flatMap((each) => (each.kind === 'link' ? keyOf(each.environment, each.anonymous) : [])),
  )
  const merged = operations.some((operation) => operation.kind === 'alias')
    ? rows
    : rows.filter(
        (row) => row.personId === row.distinctId && linked.has(keyOf(row.environment, row.distinctId)),
      )
  const members = await select(connection, 'person_key', {
    environments: merged.map((row) => row.environment),
    ids: merged.map((row) => row.personId),
  })
  const byKey = new Map<string, IdRow>()
  for (const row of [...rows, ...members]) byKey.set(keyOf(row.environment, row.distinctId), row)
  return [...byKey.values()]
}

const rowsOf = (rows: readonly IdRow[]) => ({
  environments: listValue(rows.map((row) => row.environment)),
  ids: listValue(rows.map((row) => row.distinctId)),
})
const rowTypes = { environments: LIST(VARCHAR), ids: LIST(VARCHAR) }

/** Writes the rows that changed; those of them that were `known` are there already. */
export const writeIdRows = async (
  connection: DuckDBConnection,
  rows: readonly IdRow[],
  known: ReadonlyMap<string, unknown>,
): Promise<void> => {
  const old = rows.filter((row) => known.has(keyOf(row.environment, row.distinctId)))
  if (old.length > 0) {
    const keys = `SELECT hash(environment, id) FROM ${idsSql}`
    await connection.run(`DELETE FROM analytics.raw.id_map WHERE id_key IN (${keys})`, rowsOf(old), rowTypes)
  }
  await connection.run(
    `INSERT INTO analytics.raw.id_map
     SELECT environment, id, person, identified, hash(environment, id), hash(environment, person)
     FROM (SELECT unnest($environments) AS environment, unnest($ids) AS id, unnest($persons) AS person,
       unnest($identified) AS identified)`,
    {
      ...rowsOf(rows),
      persons: listValue(rows.map((row) => row.personId)),
      identified: listValue(rows.map((row) => row.identified)),
    },
    { ...rowTypes, persons: LIST(VARCHAR), identified: LIST(BOOLEAN) },
  )
}
