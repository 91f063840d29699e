import { defineConfig } from '@playwright/test'
import { ensureBrowser } from './scripts/setup.mjs'

const executablePath = await ensureBrowser()

/** What `describe` says for the tests of a file that has the same ones in all engines. */
const inOtherEngines = /\.spec\.ts (firefox|webkit) /

// Every test has its own shop and its own service. A second try would hide the very thing that is tested
// here, so there is none.
export default defineConfig({
  testDir: 'e2e',
  testIgnore: '**/e2e/ledger/**',
  projects: [
    {
      name: 'chromium',
      testIgnore: ['**/e2e/ledger/**', '**/*.long.spec.ts'],
      grepInvert: inOtherEngines,
    },
    // Firefox, WebKit, and what takes minutes. `npm run test:all` runs them.
    { name: 'long', testMatch: '**/*.long.spec.ts' },
    { name: 'engines', testIgnore: '**/*.long.spec.ts', grep: inOtherEngines },
  ],
  globalSetup: './e2e/fixtures/globalSetup.ts',
  outputDir: '.cache/e2e',
  workers: 2,
  fullyParallel: false,
  retries: 0,
  forbidOnly: Boolean(process.env['CI']),
  // They only end what hangs: what a test waits for is progress, and how long it takes says nothing.
  timeout: 600_000,
  expect: { timeout: 240_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    launchOptions: {
      executablePath,
      args: ['--no-sandbox', '--disable-background-networking'],
      // Playwright turns the page cache off; visitors have it on.
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    },
  },
})
