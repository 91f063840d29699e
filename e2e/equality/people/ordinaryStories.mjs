import { arrival, browse, order, search, signUp, traits } from './shopping.mjs'

/** @typedef {import('./createPlan.mjs').Plan} Plan */
/** @typedef {{ name: string, about: string, tell(plan: Plan): void, needsKill?: true }} Story */

/** What people do on an ordinary day. @type {Story[]} */
export const ordinaryStories = [
  {
    name: 'reader',
    about: 'reads without a login, and comes back on other days',
    tell(plan) {
      const phone = plan.device('phone')
      for (let visits = plan.random.whole(2, 3); visits > 0; visits--) {
        phone.visit('/blog', arrival(plan))
        browse(plan, phone)
        plan.waitDays(plan.random.pick([1, 2, 6, 7]))
      }
    },
  },
  {
    name: 'buyer',
    about: 'comes by a campaign, signs up midway, orders, and orders again in later weeks',
    tell(plan) {
      const laptop = plan.device('laptop')
      laptop.visit('/', arrival(plan))
      laptop.link('/pricing')
      laptop.call(signUp, ['identify', plan.user('buyer'), traits(plan)])
      browse(plan, laptop, 1)
      laptop.call(order(plan))
      laptop.close()
      for (let weeks = plan.random.whole(1, 2); weeks > 0; weeks--) {
        plan.waitDays(7)
        laptop.visit('/pricing')
        laptop.call(order(plan), ['updateTraits', { level: plan.random.whole(10, 19) }])
        laptop.close()
      }
    },
  },
  {
    name: 'two-devices',
    about: 'one person, two devices, a login midway on both',
    tell(plan) {
      const phone = plan.device('phone')
      const laptop = plan.device('laptop')
      phone.visit('/', arrival(plan))
      phone.link('/pricing')
      laptop.visit('/pricing', arrival(plan))
      phone.call(['identify', plan.user('both'), traits(plan)], signUp)
      browse(plan, laptop, 2)
      laptop.call(['identify', plan.user('both'), traits(plan)])
      phone.call(search(plan))
      laptop.call(order(plan))
    },
  },
  {
    name: 'shared-device',
    about: 'signs out, another user signs in on the same device, then the first again',
    tell(plan) {
      const tablet = plan.device('tablet')
      tablet.visit('/', arrival(plan))
      tablet.call(['identify', plan.user('first'), traits(plan)], signUp)
      tablet.call(['reset'])
      // Between sign-out and the next login: a visitor of the device.
      tablet.link('/docs')
      if (plan.random.chance()) tablet.call(['reset'], search(plan))
      tablet.call(['identify', plan.user('second'), traits(plan)])
      tablet.call(order(plan))
      tablet.leave({ path: '/' }, ['reset'])
      tablet.call(['identify', plan.user('first')], order(plan))
    },
  },
  {
    name: 'switched-user',
    about: 'another user signs in without a sign-out',
    tell(plan) {
      const desk = plan.device('desk')
      desk.visit('/pricing', arrival(plan))
      desk.call(['identify', plan.user('one'), traits(plan)], search(plan))
      desk.call(['identify', plan.user('two'), traits(plan)], order(plan))
      desk.link('/docs')
      desk.call(['updateTraits', { level: 42 }])
    },
  },
  {
    name: 'two-tabs',
    about: 'two tabs: a login in the one, a sign-out in the other',
    tell(plan) {
      const laptop = plan.device('laptop')
      const one = laptop.tab(1)
      const two = laptop.tab(2)
      one.visit('/', arrival(plan))
      two.visit('/pricing')
      one.call(search(plan))
      one.call(['identify', plan.user('tabs'), traits(plan)])
      two.call(signUp)
      two.link('/docs')
      one.call(order(plan))
      two.call(['reset'])
      one.call(search(plan))
      two.close()
      one.link('/blog')
    },
  },
  {
    name: 'back-and-forward',
    about: 'back and forward, out of the page cache where the browser has one',
    tell(plan) {
      const laptop = plan.device('laptop')
      laptop.visit('/')
      laptop.call(search(plan))
      laptop.link('/pricing')
      laptop.call(signUp)
      laptop.back()
      if (plan.random.chance()) laptop.call(['identify', plan.user('back'), traits(plan)])
      laptop.forward()
      laptop.call(order(plan))
      laptop.back()
      laptop.call(search(plan))
    },
  },
  {
    name: 'renamed',
    about: 'changes ids by alias; user ids, names and events with emoji',
    tell(plan) {
      const phone = plan.device('phone')
      const rocket = plan.user('🚀 ada')
      phone.visit('/%F0%9F%9B%92', arrival(plan))
      phone.call(['track', '🛒 Added', { what: '👩‍👩‍👧‍👦', größe: 'XL' }])
      if (plan.random.chance()) phone.call(['identify', plan.user('old'), traits(plan)], signUp)
      phone.call(['alias', rocket])
      phone.call(['track', '🛒 Added', { what: '🍵' }])
      plan.waitDays(1)
      phone.reload()
      phone.call(['identify', rocket, traits(plan)], order(plan))
    },
  },
]
