import { entries } from './scripts/entries.mjs'

export default {
  ignoreExportsUsedInFile: true,
  workspaces: {
    '.': {
      entry: [
        ...entries.map(({ source }) => `src/${source}.ts`),
        'src/development.ts',
        'src/script.ts',
        'src/early.ts',
        'test/types/*.ts',
        'scripts/*.mjs',
        'demo/site/**/*.js',
        'e2e/**/*.spec.ts',
        'e2e/ledger/page/*.js',
        'e2e/site/*.js',
        'bench/**/*.mjs',
        'test/**/*.test.ts',
      ],
      project: [
        'src/**/*.ts',
        'test/**/*.ts',
        'scripts/**/*.mjs',
        'demo/**/*.js',
        'demo/**/*.mjs',
        'e2e/**/*.{ts,mjs,js}',
        'bench/**/*.mjs',
      ],
      ignoreDependencies: ['@fontsource-variable/*', '@duckdb/node-api'],
      ignoreBinaries: ['apt-get'],
      ignoreUnresolved: ['../../lakehouse.js'],
    },
    server: {
      entry: ['src/main.ts', 'bin/*.mjs', 'test/**/*.test.ts'],
      project: ['src/**/*.ts', 'test/**/*.ts', 'bin/*.mjs'],
      ignoreBinaries: ['unshare'],
    },
  },
}
