import { readFileSync } from 'node:fs'

const { version: ofPackage } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** The service's version, from its package.json, which lies beside both `src` and `dist`. */
export const version = ofPackage
