/** The script tag ships as it is: measured as the file that a visitor loads, not bundled anew. */
const asIs = (config) => ({ ...config, loader: { '.js': 'copy' } })

/** What an entry adds to a page; its peers and the main entry are there already. */
const entry = (file, limit) => ({
  name: `waymark/${file}`,
  path: `dist/${file}.js`,
  limit,
  brotli: true,
  ignore: ['react', 'svelte', 'vue', './waymark.js'],
})

export default [
  {
    name: 'script tag, everything in it, with pageviews',
    path: 'dist/waymark.iife.js',
    limit: '11.0 kB',
    brotli: true,
    modifyEsbuildConfig: asIs,
  },
  {
    name: 'script tag, what keeps early calls',
    path: 'dist/waymark.early.js',
    limit: '0.3 kB',
    brotli: true,
    modifyEsbuildConfig: asIs,
  },
  {
    name: 'npm import of createWaymark, with idb-keyval and nanoid',
    path: 'dist/waymark.js',
    import: '{ createWaymark }',
    limit: '10.7 kB',
    brotli: true,
  },
  entry('pageviews', '0.7 kB'),
  entry('campaign', '0.7 kB'),
  entry('clicks', '0.7 kB'),
  entry('errors', '0.7 kB'),
  entry('forms', '0.7 kB'),
  entry('engagement', '0.7 kB'),
  entry('web-vitals', '0.3 kB'),
  entry('bots', '0.4 kB'),
  entry('react', '0.3 kB'),
  entry('vue', '0.3 kB'),
  entry('svelte', '0.4 kB'),
  entry('worker', '10.9 kB'),
  entry('testing', '0.6 kB'),
  entry('lakehouse', '1.4 kB'),
]
