/*
 * A tar file in the ustar form, which every `tar` reads. It is a row of blocks of 512 bytes: for each file a header,
 * then the file's bytes, then zeros up to the end of the last block. Two blocks of zeros end it.
 *
 * | offset in a header | length | meaning |
 * |---|---|---|
 * | 0 | 100 | the name, in UTF-8, filled up with zeros |
 * | 100 | 8 | the mode, `0000600` |
 * | 108 | 8 | the owner's number, `0000000` |
 * | 116 | 8 | the group's number, `0000000` |
 * | 124 | 12 | the number of bytes in 11 octal digits; from 8 GiB on 0x80, three zeros and a big-endian number of 8 bytes |
 * | 136 | 12 | when the header was written: Unix seconds in octal digits |
 * | 148 | 8 | the sum of all bytes of the header, in 6 octal digits |
 * | 156 | 1 | `0`: a file |
 * | 257 | 8 | `ustar`, a zero byte, `00` |
 *
 * All other bytes are zeros.
 * Check: the reader asks only for `ustar`. What stands in the files must be checked by whoever reads them: a backup ends
 * with the SHA-256 of each of its files (commands/backupFile.ts).
 * Another version: a header without `ustar` fails the whole file.
 */

const blockBytes = 512
/** Eleven octal digits hold sizes below 8 GiB; larger ones are written as a binary number. */
const maxOctal = 2 ** 33

interface TarEntry {
  name: string
  bytes: number
}

const field = (header: Buffer, at: number, text: string) => header.write(text, at, 'latin1')

export const tarHeader = ({ name, bytes }: TarEntry): Buffer => {
  if (Buffer.byteLength(name) > 100) throw new Error(`The name ${name} is too long for a tar file.`)
  const header = Buffer.alloc(blockBytes)
  header.write(name, 0, 'utf8')
  field(header, 100, '0000600\0')
  field(header, 108, '0000000\0')
  field(header, 116, '0000000\0')
  if (bytes < maxOctal) field(header, 124, `${bytes.toString(8).padStart(11, '0')}\0`)
  else {
    header.writeUInt8(0x80, 124)
    header.writeBigUInt64BE(BigInt(bytes), 128)
  }
  field(header, 136, `${Math.floor(Date.now() / 1000).toString(8)}\0`)
  field(header, 156, '0')
  field(header, 257, 'ustar\u000000')
  // While the sum is computed, its own eight bytes count as spaces.
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  field(header, 148, `${sum.toString(8).padStart(6, '0')}\0 `)
  return header
}

/** The zeros that fill the last block of a file. */
export const tarPadding = (bytes: number): Buffer =>
  Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes)

export const tarEnd = Buffer.alloc(2 * blockBytes)

export interface TarFile extends TarEntry {
  /** The file's bytes, which must be read to their end before the next file. */
  body: AsyncIterable<Buffer>
}

/** Reads a stream in pieces of given lengths. */
class Pieces {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** Gives at least one byte and at most `most`. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next()
      if (done === true) throw new Error('The file is cut off.')
      this.#rest = value
    }
    const piece = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  async exactly(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = bytes; left > 0; left -= parts.at(-1)!.length) parts.push(await this.some(left))
    return Buffer.concat(parts)
  }
}

const readHeader = (header: Buffer): TarEntry => {
  if (header.toString('latin1', 257, 262) !== 'ustar') throw new Error('The file is no tar file.')
  const name = header.toString('utf8', 0, header.indexOf(0))
  const bytes =
    header[124] === 0x80
      ? Number(header.readBigUInt64BE(128))
      : Number.parseInt(header.toString('latin1', 124, 135), 8)
  return { name, bytes }
}

/** Reads the files of a tar stream one after the other, with headers as `tarHeader` writes them; throws when it is cut off. */
export const readTar = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<TarFile> {
  const pieces = new Pieces(source)
  for (;;) {
    const header = await pieces.exactly(blockBytes)
    if (header.every((byte) => byte === 0)) return
    const entry = readHeader(header)
    const body = async function* () {
      for (let left = entry.bytes; left > 0;) {
        const piece = await pieces.some(left)
        left -= piece.length
        yield piece
      }
      await pieces.exactly(tarPadding(entry.bytes).length)
    }
    yield { ...entry, body: body() }
  }
}
