import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { splitEntry } from './bundleEntry.mjs'
import { peers } from './peers.mjs'

const sizesOf = (/** @type {Uint8Array} */ bytes) => ({
  minified: bytes.length,
  gzip: gzipSync(bytes).length,
  brotli: brotliCompressSync(bytes).length,
})
const sum = (/** @type {Uint8Array[]} */ files) => {
  const total = { minified: 0, gzip: 0, brotli: 0 }
  for (const sizes of files.map(sizesOf)) {
    total.minified += sizes.minified
    total.gzip += sizes.gzip
    total.brotli += sizes.brotli
  }
  return total
}

/** Bytes on the wire of each peer: what an application bundles, what its bundle loads later, and the script-tag file. */
export async function measureBytes() {
  /** @type {Record<string, object>} */
  const found = {}
  for (const { name, package: from, lean, tag } of peers) {
    const { first, later } = await splitEntry(name)
    const small = lean && (await splitEntry(name, { [from]: `${from}/${lean}` }))
    const path = tag && fileURLToPath(new URL(tag, import.meta.url))
    if (path && !existsSync(path)) throw new Error(`${name} has no script-tag file ${tag}: run npm ci again`)
    found[name] = {
      bundle: sum(first),
      later: sum(later),
      laterFiles: later.length,
      ...(small && { lean: sum(small.first) }),
      ...(path && { tag: sizesOf(readFileSync(path)) }),
    }
  }
  return found
}
