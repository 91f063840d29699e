import type { DuckDBConnection } from '@duckdb/node-api'
import type { Share } from '../duckdb/ConcurrencyLimit.js'
import type { Plan } from './planStatement.js'
import { tryPrepare } from './prepareOne.js'
import { parsePlan, type PlanNode } from './readPlan.js'

/** The contract's, and three that published clients have: they mean XL. */
export const computeSizes = ['XS', 'S', 'M', 'L', 'XL', '2XL', '3XL', '4XL', 'AUTO'] as const
export type ComputeSize = (typeof computeSizes)[number]

/** What a statement of a size takes of the machine. */
export interface SizeShare extends Share {
  /** How long it may run, if that is less than every statement may. */
  maxMs: number
}

const plain: SizeShare = { permits: 1, isSmall: false, maxMs: Infinity }

/**
 * DuckDB has one pool of threads and one memory for all statements, so a size cannot give a statement more of them. It
 * says how many others may run beside it.
 */
export const shareOf = (size: ComputeSize | null | undefined, allPermits: number): SizeShare => {
  switch (size) {
    // The time limit keeps the room for small statements free, also from those that only call themselves small.
    case 'XS':
      return { permits: 1, isSmall: true, maxMs: 10_000 }
    case 'S':
      return { ...plain, maxMs: 60_000 }
    case 'L':
      return { ...plain, permits: Math.max(1, Math.ceil(allPermits / 4)) }
    case 'XL':
    case '2XL':
    case '3XL':
    case '4XL':
      // More than half of the permits: never two of them at once.
      return { ...plain, permits: Math.floor(allPermits / 2) + 1 }
    // AUTO is planned like an XS, because that takes milliseconds; then `sizeByPlan` decides.
    case 'AUTO':
      return { ...plain, isSmall: true }
    default:
      return plain
  }
}

/** In two cores DuckDB reads some ten million rows a second. */
const largeRows = 10_000_000
const hugeRows = 100_000_000

const mostRows = (nodes: readonly PlanNode[]): number =>
  nodes.reduce((most, { rows, children }) => Math.max(most, rows, mostRows(children)), 0)

/** The size that a statement seems to have by the optimiser's estimate of the rows that pass through any step. */
export const sizeByPlan = async (connection: DuckDBConnection, plan: Plan): Promise<ComputeSize> => {
  if (plan.kind !== 'read') return 'M'
  const explain = await tryPrepare(connection, `EXPLAIN (FORMAT JSON) ${plan.text}`)
  if (explain === undefined) return 'M'
  const rows = mostRows(parsePlan(String((await explain.runAndReadAll()).getRows()[0]![1])))
  explain.destroySync()
  if (rows >= hugeRows) return 'XL'
  return rows >= largeRows ? 'L' : 'M'
}
