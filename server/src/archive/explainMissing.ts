const ofArchive = /(environment=[^/'"]+\/day=[^/]+\/late=[^/]+\/events-[^/'"]+\.parquet)/

/** What to do about a file of the archive, where DuckDB's message names one; any other message as it is. */
export const explainMissing = (message: string): string => {
  const file = ofArchive.exec(message)?.[1]
  return file === undefined
    ? message
    : `The file ${file} of the archive is missing or damaged. Put it back from a copy of the archive; what needs no event of that day is answered without it.`
}
