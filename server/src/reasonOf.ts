import { OperatorError } from './OperatorError.js'

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
