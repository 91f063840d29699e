import { readFile } from 'node:fs/promises'
import resolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import dts from 'rollup-plugin-dts'

const { version } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'))

/** What npm users import, each a file of its own: name in `dist/`, and in `build/`. */
const entries = {
  waymark: 'index',
  pageviews: 'plugins/pageviews',
  campaign: 'plugins/campaign',
  clicks: 'plugins/clicks',
  errors: 'plugins/errors',
  forms: 'plugins/forms',
  engagement: 'plugins/engagement',
  'web-vitals': 'plugins/webVitals',
  bots: 'plugins/bots',
  react: 'react/index',
  vue: 'vue/index',
  svelte: 'svelte/index',
  worker: 'worker/index',
  testing: 'testing/index',
  lakehouse: 'lakehouse/index',
}

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

/** The adapters take the instance from the main entry, which must not be in them a second time. */
const mainEntry = {
  name: 'main-entry',
  resolveId: (source) => (source === '../index' ? { id: './waymark.js', external: true } : null),
}

const minify = terser({
  ecma: 2022,
  module: true,
  compress: { passes: 3, unsafe_arrows: true },
  mangle: true,
})

export default [
  ...Object.entries(entries).map(([name, input]) => ({
    input: `build/${input}.js`,
    external: ['idb-keyval', 'nanoid', 'react', 'svelte', 'vue'],
    plugins: [mainEntry, compiled],
    output: { file: `dist/${name}.js`, format: 'es', sourcemap: true },
  })),
  ...['script', 'early'].map((name) => ({
    input: `build/${name}.js`,
    plugins: [compiled, resolve({ browser: true }), minify],
    output: {
      file: `dist/waymark.${name === 'script' ? 'iife' : name}.js`,
      format: 'iife',
      sourcemap: true,
    },
  })),
  {
    input: Object.fromEntries(
      Object.entries(entries).map(([name, input]) => [`${name}.d`, `build/${input}.d.ts`]),
    ),
    external: ['@playwright/test', 'react', 'svelte', 'vue'],
    plugins: [dts()],
    // The types that several entries name are one file, so that they are the same types.
    output: { dir: 'dist', format: 'es', entryFileNames: '[name].ts', chunkFileNames: 'types.d.ts' },
  },
]
