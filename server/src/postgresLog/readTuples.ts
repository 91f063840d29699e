/** What comes before the first row of a binary COPY when there are no extensions. */
const headBytes = 19

/** The values of the rows of a binary COPY, none of which is null. */
export const readTuples = (chunks: readonly Buffer[]): Buffer[][] =>
  chunks.flatMap((chunk, row) => {
    let at = row === 0 ? headBytes : 0
    const columns = chunk.readInt16BE(at)
    // The end is a row of -1 columns.
    if (columns < 0) return []
    at += 2
    const values: Buffer[] = []
    for (let column = 0; column < columns; column++) {
      const length = chunk.readInt32BE(at)
      at += 4
      values.push(chunk.subarray(at, (at += length)))
    }
    return [values]
  })
