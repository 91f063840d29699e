import { describe, expect, it } from 'vitest'
import { conditionsOfEvents, conditionsOfPicked, sessionConditions } from '../../src/answers/conditions.js'
import type { Condition, Scope } from '../../src/answers/Parameter.js'
import { identifier, joinSql, Moment, sql } from '../../src/answers/sql.js'

const condition = (field: string, operator: Condition['operator'], ...values: string[]): Condition => ({
  ...{ field, operator, values },
})
const period = { from: new Moment('2026-10-01'), until: new Moment('2026-11-01') }
const scope = (...where: Condition[]): Scope => ({ environment: 'production', bots: false, ...period, where })
const textsOf = (list: readonly { text: string }[]) => list.map(({ text }) => text.replaceAll(/\s+/g, ' '))

describe('sql', () => {
  it('puts a text in quotes, and writes a NUL as a call, because a statement ends at one', () => {
    expect(sql`SELECT ${"it's"}`.text).toBe("SELECT 'it''s'")
    expect(sql`${"'; DROP TABLE events; --"}`.text).toBe("'''; DROP TABLE events; --'")
    expect(sql`path = ${'a\0b'}`.text).toBe("path = ('a' || chr(0) || 'b')")
  })

  it('writes lists, moments, numbers, booleans and NULL, and leaves parts alone that are SQL already', () => {
    expect(sql`f(${['a', "b'"]}, ${new Moment('2026-03-29')}, ${1.5}, ${true}, ${null})`.text).toBe(
      "f(['a', 'b'''], TIMESTAMPTZ '2026-03-29', 1.5, true, NULL)",
    )
    const parts = [sql`a = ${1}`, sql`${identifier('of "it"')} IS NULL`]
    expect(sql`WHERE ${joinSql(parts, ' AND ')}`.text).toBe('WHERE a = 1 AND "of ""it""" IS NULL')
  })
})

describe('conditions', () => {
  it('ask the person of an event, and of a session, for a trait', () => {
    const wanted = scope(condition('trait.plan', 'not', 'pro'))
    const text =
      "person_id IN (SELECT person_id FROM analytics.persons WHERE environment = 'production' AND coalesce(NOT lower(analytics.prop(traits, 'plan')) = lower('pro'), true))"
    expect(textsOf(conditionsOfEvents(wanted, period))).toEqual([text])
    expect(textsOf(sessionConditions(wanted, period))).toEqual([text])
    expect(textsOf(conditionsOfPicked(wanted, period))).toEqual([text])
  })

  it('are of the event itself, and of its session for what only sessions have', () => {
    const [own, ofSession] = textsOf(
      conditionsOfEvents(scope(condition('prop.plan', 'is', "it's"), condition('entry', 'is', '/')), period),
    )
    expect(own).toBe(`lower(analytics.prop(properties, 'plan')) = lower('it''s')`)
    expect(ofSession).toMatch(
      /^session_id IN \(SELECT session_id FROM analytics\.sessions\(.*lower\("entry"\) = lower\('\/'\)\)$/,
    )
  })

  it('leave a session without such an event, where it says what it is not', () => {
    const [text] = textsOf(sessionConditions(scope(condition('path', 'not', '/a')), period))
    expect(text).toMatch(
      /session_id NOT IN .*event = '\$pageview' AND session_id IS NOT NULL AND lower\("path"\) = lower\('\/a'\)\)\)$/,
    )
  })

  it('count a row without a value as none of any', () => {
    expect(textsOf(sessionConditions(scope(condition('device', 'out', 'phone', 'tablet')), period))).toEqual([
      `coalesce(NOT lower("device") IN (lower('phone'), lower('tablet')), true)`,
    ])
    expect(textsOf(sessionConditions(scope(condition('device', 'not', '')), period))).toEqual([
      `"device" IS NOT NULL`,
    ])
    expect(textsOf(sessionConditions(scope(condition('device', 'in', 'phone', '')), period))).toEqual([
      `("device" IS NULL OR lower("device") = lower('phone'))`,
    ])
  })

  it('ask for the sessions once, however many conditions are of them', () => {
    const conditions = [condition('browser', 'is', 'Firefox'), condition('device', 'contains', 'Ph')]
    const [text, ...more] = textsOf(conditionsOfPicked(scope(...conditions), period))
    expect(more).toEqual([])
    expect(text).toContain(
      `WHERE lower("browser") = lower('Firefox') AND contains(lower("device"), lower('Ph'))`,
    )
  })
})
