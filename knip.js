import { entries } from './scripts/entries.mjs'

export default {
  ignoreExportsUsedInFile: true,
  workspaces: {
    '.': {
      entry: [
        ...entries.flatMap(({ source, development }) =>
          [source, ...(development ? [development] : [])].map((module) => `src/${module}.ts`),
        ),
        'src/entries/script.ts',
        'src/entries/early.ts',
        'src/command/index.ts',
        'test/types/**/*.ts',
        'scripts/*.mjs',
        'scripts/picture/draw*.mjs',
        'scripts/test/smoke.mjs',
        'scripts/test/clients.mjs',
        'scripts/test/suites.mjs',
        'scripts/test/failuresReporter.mjs',
        'demo/site/**/*.js',
        'e2e/**/*.spec.ts',
        'e2e/ledger/page/*.js',
        'e2e/equality/page/*.js',
        'e2e/site/*.js',
        'bench/**/*.mjs',
        'fixtures/*.spec.ts',
        'fixtures/playwright.config.ts',
        'fixtures/setup/installFixtures.ts',
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
        'fixtures/{,setup/}*.ts',
      ],
      // The last two are run by their names (`scripts/test/steps.mjs`); `waymark plan` imports valibot's from the project.
      ignoreDependencies: [
        '@fontsource-variable/*',
        '@duckdb/node-api',
        'oidc-provider',
        '@valibot/to-json-schema',
        '@arethetypeswrong/cli',
        'publint',
      ],
      ignoreBinaries: ['openssl', 'apt-get', 'mount', 'umount'],
      ignoreUnresolved: ['../../lakehouse.js'],
    },
    server: {
      entry: [
        'src/main.ts',
        'src/sql/dialects/translateProcess.ts',
        'bin/*.mjs',
        'test/**/*.test.ts',
        'test/suites/*.mjs',
        'screens/src/main.tsx',
        'screens/test/**/*.test.{ts,tsx}',
      ],
      project: [
        'src/**/*.ts',
        'test/**/*.ts',
        'test/suites/*.mjs',
        'bin/*.mjs',
        'screens/{src,test}/**/*.{ts,tsx}',
      ],
      ignoreBinaries: ['unshare', 'prlimit', 'psql', 'openssl', 'mkfifo'],
    },
  },
}
