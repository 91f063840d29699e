/** A reason not to start, in one sentence that a person can act on. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OperatorError'
  }
}

/** `what` is lost or not what it was; `restore` is what a backup must bring back. */
export const damaged = (what: string, restore = 'the data folder'): OperatorError =>
  new OperatorError(`The store is damaged: ${what}. Nothing was changed; restore ${restore} from a backup.`)

/** By what the system, Node or DuckDB says. */
export const isDiskFull = (reason: string): boolean => /No space left on device|ENOSPC/i.test(reason)

/** An error of the file system as a reason not to start; any other as it is. */
export const asOperatorError = (error: unknown, folder: string): unknown =>
  error instanceof Error && 'syscall' in error
    ? new OperatorError(`The data folder ${folder} cannot be used: ${error.message}.`)
    : error
