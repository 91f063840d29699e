import { readFile } from 'node:fs/promises'
import resolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import dts from 'rollup-plugin-dts'

const { version } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'))

/** Reads what tsc wrote, with its source map, and puts the version in. */
const compiled = {
  name: 'compiled',
  async load(id) {
    if (!id.includes('/build/') || !id.endsWith('.js')) return null
    const code = await readFile(id, 'utf8')
    return {
      code: code.replaceAll('__VERSION__', JSON.stringify(version)),
      map: JSON.parse(await readFile(`${id}.map`, 'utf8')),
    }
  },
}

const minify = terser({
  ecma: 2022,
  module: true,
  compress: { passes: 3, unsafe_arrows: true },
  mangle: true,
})

export default [
  {
    input: 'build/index.js',
    external: ['idb-keyval', 'nanoid'],
    plugins: [compiled],
    output: { file: 'dist/waymark.js', format: 'es', sourcemap: true },
  },
  {
    input: 'build/script.js',
    plugins: [compiled, resolve({ browser: true }), minify],
    output: { file: 'dist/waymark.iife.js', format: 'iife', sourcemap: true },
  },
  {
    input: 'build/index.d.ts',
    plugins: [dts()],
    output: { file: 'dist/waymark.d.ts', format: 'es' },
  },
]
