// Compiles src/ with tsc, bundles it into dist/, and prints what came out.
import { spawnSync } from 'node:child_process'
import { rmSync, readdirSync, readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

const run = (name, ...args) => {
  const { status } = spawnSync('npx', ['--no-install', name, ...args], { stdio: 'inherit' })
  if (status) process.exit(status)
}

rmSync('build', { recursive: true, force: true })
rmSync('dist', { recursive: true, force: true })
run('tsc', '-p', 'tsconfig.build.json')
run('rollup', '-c', '--silent')

for (const file of readdirSync('dist').filter((name) => name.endsWith('.js'))) {
  const code = readFileSync(`dist/${file}`)
  console.log(`dist/${file}  ${code.length} B, ${brotliCompressSync(code).length} B brotli`)
}
