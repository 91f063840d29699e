#!/usr/bin/env node
import zlib from 'node:zlib'

// The youngest of what the service takes from Node.
if (zlib.crc32 === undefined) {
  console.error(`waymark-server needs Node 20.15 or 22.2, or later; this is ${process.version}.`)
  process.exit(1)
}
await import('../dist/main.js')
