import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** What is compiled is what a test of a whole process starts; and a new store is made once. */
const serviceSetup = ['compileService', 'prepareStore'].map((name) => at(`server/test/fixtures/${name}.ts`))

export default defineConfig({
  define: { __VERSION__: JSON.stringify(version) },
  test: {
    // Many tests wait for other processes: three run at a time on two processors.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // They only end what hangs. What a test waits for is progress, and how long it takes says nothing.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 240_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'library',
          isolate: false,
          // Node resolves to what renders on a server; a browser gets this one.
          alias: [{ find: /^svelte$/, replacement: at('node_modules/svelte/src/index-client.js') }],
          include: ['test/**/*.test.ts'],
          exclude: ['test/built/**', 'test/docs/**'],
          environment: 'node',
          setupFiles: at('test/world/leaveNothing.ts'),
        },
      },
      {
        // Needs the built library.
        extends: true,
        test: {
          name: 'built',
          include: ['test/built/*.test.ts', 'test/docs/*.test.ts'],
          globalSetup: './test/built/buildLibrary.ts',
          environment: 'node',
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          // A process for each file would load DuckDB and the service each time: a third of all processor time.
          isolate: false,
          include: ['server/test/**/*.test.ts'],
          exclude: ['server/test/cluster/*.test.ts', 'server/test/**/*.long.test.ts'],
          globalSetup: serviceSetup,
          setupFiles: at('server/test/fixtures/leaveNothing.ts'),
          environment: 'node',
        },
      },
      {
        // Kills processes, fills disks and damages files, many times over. `npm run test:all` runs it.
        extends: true,
        test: {
          name: 'long',
          include: ['server/test/**/*.long.test.ts'],
          globalSetup: serviceSetup,
          environment: 'node',
          testTimeout: 1_800_000,
        },
      },
      {
        // Needs PostgreSQL's server and a C compiler.
        extends: true,
        test: {
          name: 'cluster',
          include: ['server/test/cluster/*.test.ts'],
          environment: 'node',
          testTimeout: 1_800_000,
          globalSetup: serviceSetup,
        },
      },
      {
        extends: true,
        test: {
          name: 'screens',
          root: 'server/screens',
          include: ['test/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
        },
      },
    ],
  },
})
