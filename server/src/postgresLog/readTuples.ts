/** The length of the header of a binary COPY without extensions. */
const headBytes = 19

/** Reads the values of the rows of a binary COPY, in which no value may be null. */
export const readTuples = (chunks: readonly Buffer[]): Buffer[][] =>
  chunks.flatMap((chunk, row) => {
    let at = row === 0 ? headBytes : 0
    const columns = chunk.readInt16BE(at)
    // A row of -1 columns ends the data.
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
