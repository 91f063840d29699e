import { describe, expect, it } from 'vitest'
import { sql } from '../src/pages/sql/sql'

describe('sql', () => {
  it('puts a text in quotes and doubles those within', () => {
    expect(sql`SELECT ${"it's"}`.text).toBe("SELECT 'it''s'")
    expect(sql`${"'; DROP TABLE events; --"}`.text).toBe("'''; DROP TABLE events; --'")
  })

  it('writes a NUL as a call, because a statement ends at one', () => {
    expect(sql`path = ${'a\0b'}`.text).toBe("path = ('a' || chr(0) || 'b')")
  })

  it('leaves parts alone that are SQL already', () => {
    expect(sql`WHERE ${sql`a = ${'b'}`}`.text).toBe("WHERE a = 'b'")
  })
})
