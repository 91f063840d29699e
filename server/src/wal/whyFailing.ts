import { isInvalidated, isOutOfMemory, isOutOfRoom } from '../store/transactions.js'

/**
 * Says why rows are not being stored, in words that anybody may read. DuckDB's own words do not serve: they hold paths
 * of this machine and parts of rows.
 */
export const whyFailing = (error: unknown): string => {
  if (isOutOfRoom(error)) return 'The disk of the data folder is full, or takes no writes.'
  if (isOutOfMemory(error))
    return 'Storing rows, or the queries that run meanwhile, needs more memory than DuckDB may have (--memory-limit).'
  if (isInvalidated(error))
    return 'DuckDB closed the store after an error; the engine is being started again.'
  return 'DuckDB reports an error; the log of the service says which.'
}
