// The 43 queries of ClickBench, with more columns to sort by where equal rows would come in any order.
import { askQueries } from './askQueries.mjs'

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export const run = (service) => askQueries('clickbench', service)
