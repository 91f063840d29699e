import { askNode } from './askNode.mjs'

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export const run = askNode(['postgres.mjs', 'postgresSessions.mjs'])
