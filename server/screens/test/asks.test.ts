import { describe, expect, it } from 'vitest'
import { answerOf, readAsk } from '../../src/answers/answers.js'
import { fieldOf, refuseToGuests } from '../../src/answers/Parameter.js'
import { builtInProperties, fields, propertyField, traitField } from '../src/data/fields'
import { operators } from '../src/data/filters'
import { guestFields } from '../src/address/guestAddress'
import { measures } from '../src/pages/explore/measures'
import { groups } from '../src/pages/overview/dimensions'
import { vitals } from '../src/pages/vitals/metrics'

const accepts = (name: string, given: object) => readAsk({ name, ...given }).given

describe('the screens and the service', () => {
  it('know the same fields, of the same rows, and refuse guests the same ones', () => {
    for (const { name, of } of [...fields, propertyField('plan'), traitField('plan')])
      expect([name, fieldOf(name)]).toEqual([name, of])
    for (const { name } of fields) {
      const isRefused = refuseToGuests(name, true) !== undefined
      expect([name, guestFields.some((field) => field.name === name)]).toEqual([name, !isRefused])
    }
  })

  it('know the same measures, columns, web vitals and ways to compare', () => {
    for (const { name, needsProperty } of measures)
      accepts('explore', { measure: name, ...(needsProperty && { property: 'price' }) })
    for (const { name } of groups.flatMap(({ dimensions }) => dimensions)) accepts('ranking', { by: name })
    for (const { name } of vitals) accepts('vitals_by_page', { metric: name })
    for (const [operator] of operators)
      accepts('totals', {
        where: [{ field: 'event', operator, values: operator === 'between' ? ['1', '2'] : ['1'] }],
      })
    for (const name of builtInProperties)
      expect(answerOf('funnel').parameters['breakdown']?.refuse?.(name as never, true)).toBeUndefined()
  })
})
