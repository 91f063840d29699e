import type { DuckDBDataChunk } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'

/** A vector holds 16 bytes for each text: the length, then the text itself up to 12 bytes, or its address. */
const words = 4
const inlineBytes = 12

/**
 * Reads the first `rows` texts of a chunk's first column as one buffer of UTF-8. DuckDB writes the texts
 * that it makes one behind the other, so a few large pieces hold them all. Copying pieces is four times
 * as fast as copying text by text. Only texts that touch are copied together, so that every byte read
 * belongs to one of them.
 */
export const readText = (chunk: DuckDBDataChunk, rows: number): Buffer => {
  if (rows === 0) return Buffer.alloc(0)
  const data = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk.chunk, 0), rows * 4 * words)
  const view = new Uint32Array(data.buffer, data.byteOffset, rows * words)
  const lengthOf = (row: number) => view[row * words]!
  /** The address of a text. Addresses are far below 2^53. */
  const addressOf = (row: number) => view[row * words + 3]! * 2 ** 32 + view[row * words + 2]!

  const pieces: Uint8Array[] = []
  for (let row = 0; row < rows;) {
    const at = row * 4 * words
    const length = lengthOf(row)
    if (length <= inlineBytes) {
      pieces.push(data.subarray(at + 4, at + 4 + length))
      row++
      continue
    }
    const start = addressOf(row)
    let end = start + length
    for (row++; row < rows && lengthOf(row) > inlineBytes && addressOf(row) === end; row++) {
      end += lengthOf(row)
    }
    pieces.push(
      duckdb.get_data_from_pointer(data.buffer as ArrayBuffer, data.byteOffset + at + 8, end - start),
    )
  }
  // The pieces are freed with the chunk, so they are copied.
  return Buffer.concat(pieces)
}
