import { readFileSync } from 'node:fs'

const { version: ofPackage } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** The service's, from its package, beside which both `src` and `dist` lie. */
export const version = ofPackage
