import { type } from 'arktype'
import * as v from 'valibot'
import { definePlan } from 'waymark/plan'
import { z } from 'zod'

const plan = definePlan({
  events: {
    'Order Completed': z.object({ total: z.number(), coupon: z.string().optional() }),
    'Search Used': v.object({ query: v.string(), hits: v.optional(v.number()) }),
    'Map Viewed': type({ slug: 'string', 'zoom?': 'number' }),
    'Signed Up': {
      type: 'object',
      properties: {
        plan: { enum: ['free', 'pro'] },
        invited_by: { type: ['string', 'null'] },
        trial_ends: { type: 'string', format: 'date-time' },
        steps: { type: 'array', items: { type: 'integer' } },
        source: { type: 'object', properties: { name: { const: 'mail' } }, required: ['name'] },
      },
      required: ['plan'],
    },
    'Form Filled': {
      properties: { form: { type: 'string' } },
      required: ['form'],
      additionalProperties: true,
    },
    'Signed Out': {},
    'Page Printed': z.object({}),
  },
  traits: z.object({ email: z.string(), seats: z.number() }),
})

export default plan

declare module 'waymark' {
  interface Register {
    plan: typeof plan
  }
}
