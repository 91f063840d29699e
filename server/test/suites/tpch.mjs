// The 22 queries of TPC-H, with its validation parameters; where our rows are too few, with others (2, 8, 17, 18, 19).
import { askQueries } from './askQueries.mjs'

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export const run = (service) => askQueries('tpch', service)
