import { expect, it } from 'vitest'
import { OperatorError, hideFolder, reasonOf } from '../src/OperatorError.js'

/** As DuckDB 1.5.6 says it. */
const internal = `INTERNAL Error: Unsupported ICU BIGINT extractor

Stack Trace:

/opt/app/node_modules/libduckdb.so(_ZN6duckdb9Exception6ToJSON+0x5b) [0x7f9e9dc4c1eb]
/opt/app/node_modules/libduckdb.so(+0x1) [0x7f9e9dc4c1ec]

This error signals an assertion failure within DuckDB. This usually occurs due to unexpected conditions.
For more information, see https://duckdb.org/docs/stable/dev/internal_errors`

it('leaves out DuckDB’s stack, and the folders of this machine', () => {
  hideFolder('/srv/reasons/data')
  expect(reasonOf(new Error(internal))).toBe('INTERNAL Error: Unsupported ICU BIGINT extractor')
  expect(
    reasonOf(new Error('IO Error: Could not read from file "/srv/reasons/data/lakehouse.duckdb": EIO')),
  ).toBe('IO Error: Could not read from file "lakehouse.duckdb": EIO')
  expect(reasonOf(new AggregateError([new Error(internal), new Error('two')]))).not.toContain('/opt')
  expect(reasonOf(new Error('Conversion Error: "/pricing" is no number'))).toContain('"/pricing"')
})

it('tells an operator the whole path', () => {
  hideFolder('/srv/reasons/data')
  const message = 'The data folder /srv/reasons/data/x cannot be used.'
  expect(reasonOf(new OperatorError(message))).toBe(message)
})
