import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type IdentityOperation, type IdRow, resolveIdentity } from '../../src/analytics/resolveIdentity.js'

const environment = 'e'
const id = fc.constantFrom('a', 'b', 'c', 'd', 'f', 'g')
const operation: fc.Arbitrary<IdentityOperation> = fc.oneof(
  fc.record({ kind: fc.constant('user' as const), environment: fc.constant(environment), user: id }),
  fc
    .record({
      kind: fc.constant('link' as const),
      environment: fc.constant(environment),
      user: id,
      anonymous: id,
    })
    .filter((each) => each.user !== each.anonymous),
  fc.record({
    kind: fc.constant('alias' as const),
    environment: fc.constant(environment),
    from: id,
    into: id,
  }),
)

const applyAll = (operations: readonly IdentityOperation[], runLength: number): IdRow[] => {
  const table = new Map<string, IdRow>()
  for (let at = 0; at < operations.length; at += runLength) {
    const changed = resolveIdentity(operations.slice(at, at + runLength), [...table.values()])
    for (const row of changed) table.set(row.distinctId, row)
  }
  return [...table.values()].toSorted((a, b) => a.distinctId.localeCompare(b.distinctId))
}

it('gives the same persons however the operations are cut into runs', () => {
  fc.assert(
    fc.property(
      fc.array(operation, { maxLength: 30 }),
      fc.integer({ min: 1, max: 7 }),
      (operations, runLength) => {
        expect(applyAll(operations, runLength)).toEqual(applyAll(operations, operations.length || 1))
      },
    ),
  )
})

it('names every person by an id that belongs to it', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 30 }), (operations) => {
      const rows = applyAll(operations, 3)
      for (const { personId } of rows) {
        expect(rows.find((row) => row.distinctId === personId)?.personId).toBe(personId)
      }
    }),
  )
})

it('makes the two ids of an alias one person, and keeps what was one together', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 20 }), id, id, (operations, from, into) => {
      const before = applyAll(operations, 3)
      const after = applyAll([...operations, { kind: 'alias', environment, from, into }], 3)
      const personOf = (rows: IdRow[], distinctId: string) =>
        rows.find((row) => row.distinctId === distinctId)?.personId ?? distinctId
      expect(personOf(after, from)).toBe(personOf(after, into))
      expect(personOf(after, into)).toBe(personOf(before, into))
      for (const a of before) {
        for (const b of before) {
          if (a.personId === b.personId) {
            expect(personOf(after, a.distinctId)).toBe(personOf(after, b.distinctId))
          }
        }
      }
    }),
  )
})
