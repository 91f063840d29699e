import { describe, expect, it } from 'vitest'
import { identifier, joinSql, sql } from '../src/data/sql'

describe('sql', () => {
  it('puts a text in quotes and doubles those within', () => {
    expect(sql`SELECT ${"it's"}`.text).toBe("SELECT 'it''s'")
    expect(sql`${"'; DROP TABLE events; --"}`.text).toBe("'''; DROP TABLE events; --'")
  })

  it('writes a NUL as a call, because a statement ends at one', () => {
    expect(sql`path = ${'a\0b'}`.text).toBe("path = ('a' || chr(0) || 'b')")
  })

  it('writes lists, moments, numbers, booleans and NULL', () => {
    const at = new Date(Date.UTC(2026, 2, 29, 0, 30))
    expect(sql`f(${['a', "b'"]}, ${at}, ${1.5}, ${true}, ${null})`.text).toBe(
      "f(['a', 'b'''], TIMESTAMPTZ '2026-03-29T00:30:00.000Z', 1.5, true, NULL)",
    )
  })

  it('refuses numbers that SQL has no sign for', () => {
    expect(() => sql`${Number.NaN}`).toThrow('NaN')
  })

  it('leaves parts alone that are SQL already', () => {
    const parts = [sql`a = ${1}`, sql`${identifier('of "it"')} IS NULL`]
    expect(sql`WHERE ${joinSql(parts, ' AND ')}`.text).toBe('WHERE a = 1 AND "of ""it""" IS NULL')
  })
})
