import { askNode } from './askNode.mjs'

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export const run = askNode(['pg.mjs', 'pgErrors.mjs', 'pgSessions.mjs'])
