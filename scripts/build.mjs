// Installs what is missing, compiles src/ with tsc, bundles it into dist/, and prints what came out.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { rmSync, readdirSync, readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { ensureInstalled } from './setup/ensureInstalled.mjs'
import { tsc } from './setup/tsc.mjs'

const run = (file, ...args) => {
  const { status } = spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' })
  if (status) process.exit(status)
}

await ensureInstalled()
rmSync('build', { recursive: true, force: true })
rmSync('dist', { recursive: true, force: true })
run(tsc, '-p', 'tsconfig.build.json')
run('node_modules/rollup/dist/bin/rollup', '-c', '--silent')

for (const file of readdirSync('dist').filter((name) => /\.c?js$/.test(name))) {
  const code = readFileSync(`dist/${file}`)
  console.log(`dist/${file}  ${code.length} B, ${brotliCompressSync(code).length} B brotli`)
}

// What a page may say in `integrity`, so that it runs this very file or none (Subresource Integrity).
for (const file of ['waymark.iife.js', 'waymark.early.js']) {
  const hash = createHash('sha384')
    .update(readFileSync(`dist/${file}`))
    .digest('base64')
  console.log(`dist/${file}  sha384-${hash}`)
}
