// Never run: a plan that is registered as loose checks the events that it has, and takes others as they are.
import { waymark } from 'waymark'
import { definePlan } from 'waymark/plan'

const plan = definePlan({
  events: { 'Signed Up': { properties: { plan: { enum: ['free', 'pro'] } }, required: ['plan'] } },
})

declare module 'waymark' {
  interface Register {
    plan: typeof plan
    loose: true
  }
}

waymark.track('Signed Up', { plan: 'pro' })
waymark.track('Anything')
waymark.track('Anything', { at: 'all' })
// @ts-expect-error an event of the plan is checked
waymark.track('Signed Up', { plan: 'gold' })
// @ts-expect-error its properties must be given
waymark.track('Signed Up')
// @ts-expect-error properties are an object
waymark.track('Anything', 'text')

// A plan without traits lets anything be said of a user.
waymark.identify('u_1', { age: 40 })
