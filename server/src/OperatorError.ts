/** Folders of this machine, which no message names. */
const hidden = new Set<string>()

/** From now on messages name the files of this folder without the folder. */
export const hideFolder = (folder: string): void => {
  hidden.add(folder.endsWith('/') ? folder : `${folder}/`)
}

/** After an error of its own DuckDB adds its stack, with the paths of this machine, and asks for a report. */
const stack = /\s*(?:This error signals an assertion failure within DuckDB|Stack Trace:)[^]*$/

/** Takes out of a message what tells of this machine and helps nobody. */
const clean = (message: string): string => {
  let text = message.replace(stack, '')
  for (const folder of hidden) text = text.replaceAll(folder, '')
  return text
}

/**
 * The message of an error, as it may be answered and logged. A host with several addresses fails with one error for
 * each, and their messages are joined. What is said to the operator keeps its paths.
 */
export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  if (error instanceof OperatorError) return error.message
  return clean(error instanceof Error ? error.message : String(error))
}

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
