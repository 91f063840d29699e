/** The message of an error. A host with several addresses fails with one error for each, and their messages are joined. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
