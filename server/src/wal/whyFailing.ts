import { isInvalidated, isOutOfMemory, isOutOfRoom } from '../store/transactions.js'

/**
 * Says why rows are not being stored, in words that anybody may read. DuckDB's own words do not serve: they hold paths
 * of this machine and parts of rows.
 */
export const whyFailing = (error: unknown): string => {
  if (isOutOfRoom(error)) return 'The disk of the data folder is full, or takes no writes.'
  if (isOutOfMemory(error))
    return 'What is to be stored, or the queries beside it, need more memory than DuckDB may have (--memory-limit).'
  if (isInvalidated(error)) return 'DuckDB gave the store up after an error; the engine is started again.'
  return 'DuckDB reports an error; the log of the service says which.'
}
