const archivedFile = /(environment=[^/'"]+\/day=[^/]+\/late=[^/]+\/events-[^/'"]+\.parquet)/

/** Says what to do when DuckDB's message names a file of the archive; gives any other message as it is. */
export const explainMissing = (message: string): string => {
  const file = archivedFile.exec(message)?.[1]
  return file === undefined
    ? message
    : `The file ${file} of the archive is missing or damaged. Put it back from a copy of the archive. Queries that need no event of that day are still answered.`
}
