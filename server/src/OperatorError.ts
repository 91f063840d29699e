/** Says in one sentence why the service cannot start, so that a person can act on it. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OperatorError'
  }
}

/** `what` says what is lost or changed; `restore` names what must be restored from a backup. */
export const damaged = (what: string, restore = 'the data folder'): OperatorError =>
  new OperatorError(`The store is damaged: ${what}. Nothing was changed; restore ${restore} from a backup.`)

/** Whether the system, Node or DuckDB says that a disk is full. */
export const isDiskFull = (reason: string): boolean => /No space left on device|ENOSPC/i.test(reason)

/** Whether the system, Node or DuckDB says that a disk fails, or takes no writes any more because it has failed. */
export const isDiskFailing = (reason: string): boolean =>
  /Input\/output error|Read-only file system|\b(?:EIO|EROFS)\b/.test(reason)

/** Makes an OperatorError of an error of the file system, and returns any other error as it is. */
export const asOperatorError = (error: unknown, folder: string): unknown =>
  error instanceof Error && 'syscall' in error
    ? new OperatorError(`The data folder ${folder} cannot be used: ${error.message}.`)
    : error
