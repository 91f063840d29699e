import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { damaged } from '../store/StoreError.js'

const magic = 0xbeefc0de
/** The first two pages are meta pages; how large a page is depends on the machine. */
const pageSizes = [4096, 8192, 16_384, 32_768, 65_536]
/** From the magic number of an LMDB meta page to its page size, last page and transaction numbers. */
const pageSizeAt = 24
const lastPageAt = 120
const transactionAt = 128

interface Meta {
  pageBytes: number
  lastPage: number
  transaction: number
}

const readMeta = (page: Buffer): Meta | undefined => {
  for (let at = 0; at < 64; at += 4) {
    if (page.readUInt32LE(at) !== magic) continue
    return {
      pageBytes: page.readUInt32LE(at + pageSizeAt),
      lastPage: Number(page.readBigUInt64LE(at + lastPageAt)),
      transaction: Number(page.readBigUInt64LE(at + transactionAt)),
    }
  }
  return undefined
}

/**
 * LMDB maps its file into memory, and a file that is shorter than it says ends the process without
 * a word. So its first two pages are read before it is opened.
 */
export const checkLogFile = (file: string): void => {
  if (!existsSync(file)) return
  const handle = openSync(file, 'r')
  try {
    const { size } = fstatSync(handle)
    const metas = [0, ...pageSizes].map((at) => {
      const page = Buffer.alloc(256)
      return readSync(handle, page, 0, page.length, at) === page.length ? readMeta(page) : undefined
    })
    const [newest] = metas
      .filter((meta) => meta !== undefined)
      .toSorted((a, b) => b.transaction - a.transaction)
    const whole = newest !== undefined && (newest.lastPage + 1) * newest.pageBytes <= size
    if (whole) return
  } finally {
    closeSync(handle)
  }
  throw damaged(`the accept log ${file} is cut off or overwritten`)
}
