import { entries, external } from './scripts/entries.mjs'

/** The script tag ships as it is: measured as the file that a visitor loads, not bundled anew. */
const asIs = (config) => ({ ...config, loader: { '.js': 'copy' } })

const tag = (name, file, limit) => ({
  name: `script tag, ${name}`,
  path: `dist/waymark.${file}.js`,
  limit,
  brotli: true,
  modifyEsbuildConfig: asIs,
})

export default [
  tag('everything in it, with pageviews', 'iife', '11.05 kB'),
  tag('what keeps early calls', 'early', '0.3 kB'),
  ...entries.map(({ name, file = name, limit }) =>
    name === 'waymark'
      ? {
          name: 'npm import of createWaymark, with idb-keyval and nanoid',
          path: 'dist/waymark.js',
          import: '{ createWaymark }',
          limit,
          brotli: true,
        }
      : {
          name: `waymark/${name}`,
          path: `dist/${file}.js`,
          limit,
          brotli: true,
          // The worker is a core of its own; the others come to one that is there.
          ignore: external.filter((peer) => !/idb-keyval|nanoid/.test(peer)),
        },
  ),
]
