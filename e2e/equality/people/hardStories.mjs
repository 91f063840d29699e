import { arrival, browse, order, paths, search, signUp, traits } from './shopping.mjs'

/** What goes wrong, and who does not want to be seen. @type {import('./ordinaryStories.mjs').Story[]} */
export const hardStories = [
  {
    name: 'offline',
    about: 'the browser says that it is offline; the page is reloaded, and the network comes back later',
    tell(plan) {
      const phone = plan.device('phone')
      phone.visit('/', arrival(plan))
      phone.network(false, true)
      phone.call(search(plan), signUp)
      phone.reload()
      phone.call(order(plan))
      if (plan.random.chance()) phone.close()
      phone.network(true, true)
    },
  },
  {
    name: 'outage',
    about: 'no request gets through, and nobody says so; the page is reloaded meanwhile',
    tell(plan) {
      const phone = plan.device('phone')
      phone.visit('/blog', arrival(plan))
      phone.call(search(plan))
      phone.network(false, false)
      phone.call(order(plan))
      // docs/delivery.md, "Lost": "The service fails after its last answer, and the page goes before the next request has failed."
      phone.fail()
      phone.reload()
      phone.call(['identify', plan.user('outage'), traits(plan)], signUp)
      phone.close()
      phone.network(true, false)
    },
  },
  {
    name: 'hasty',
    about: 'closes the tab right after the click; follows a link in the very task of the click',
    tell(plan) {
      const phone = plan.device('phone')
      phone.visit('/pricing', arrival(plan))
      phone.leave({ path: '/docs' }, signUp, ['identify', plan.user('hasty'), traits(plan)])
      phone.leave('close', order(plan), search(plan))
      plan.waitDays(plan.random.whole(1, 3))
      phone.visit('/')
      phone.leave({ path: '/blog' }, ['reset'], search(plan))
      phone.leave('close', search(plan))
    },
  },
  {
    name: 'crashed',
    about: 'the browser is killed and started again',
    needsKill: true,
    tell(plan) {
      const laptop = plan.device('laptop', { isKilled: true })
      laptop.visit('/', arrival(plan))
      laptop.call(['identify', plan.user('crashed'), traits(plan)], signUp)
      laptop.kill()
      laptop.visit('/pricing')
      laptop.call(order(plan))
      laptop.kill()
    },
  },
  {
    name: 'consent-later',
    about: 'leaves a page without a choice, and agrees on the next one',
    tell(plan) {
      const phone = plan.device('phone', { consent: 'pending' })
      phone.visit('/', arrival(plan))
      phone.call(search(plan))
      // docs/delivery.md, "Lost": "The visitor leaves while consent is pending, without a choice."
      phone.link('/pricing')
      phone.call(signUp, ['identify', plan.user('consent'), traits(plan)])
      if (plan.random.chance()) plan.wait(60)
      phone.call(order(plan))
      phone.call(['setConsent', 'granted'])
      phone.call(search(plan))
      browse(plan, phone, 2)
    },
  },
  {
    name: 'refuser',
    about: 'refuses; on a later day agrees after all, and in the end refuses again',
    tell(plan) {
      const phone = plan.device('phone', { consent: 'pending' })
      phone.visit('/', arrival(plan))
      phone.call(search(plan))
      phone.call(['setConsent', 'denied'])
      phone.link('/pricing')
      phone.call(signUp)
      phone.close()
      plan.waitDays(2)
      phone.visit('/docs')
      phone.call(['setConsent', 'granted'], order(plan))
      phone.link('/blog')
    },
  },
  {
    name: 'gpc',
    about: 'the browser sends Global Privacy Control',
    tell(plan) {
      const phone = plan.device('phone', { gpc: true })
      phone.visit('/', arrival(plan))
      phone.call(search(plan), ['identify', plan.user('private')])
      phone.link('/pricing')
      phone.call(order(plan))
    },
  },
  {
    name: 'crawler',
    about: 'no person: a crawler that says so',
    tell(plan) {
      const robot = plan.device('robot', { isBot: true })
      robot.visit('/', arrival(plan))
      for (const path of paths) robot.link(path)
      robot.call(search(plan))
    },
  },
  {
    name: 'wrong-clock',
    about: 'two devices, the clock of one is wrong, and is set back in the middle of a visit',
    tell(plan) {
      // One more than a multiple of four, and later three: no two events of the person have the same time.
      const tablet = plan.device('tablet', { fastMinutes: plan.random.pick([181, -1499, 61]) })
      const laptop = plan.device('laptop')
      tablet.visit('/', arrival(plan))
      tablet.call(['identify', plan.user('clock'), { level: 1, city: 'Ulm' }])
      laptop.visit('/pricing', arrival(plan))
      laptop.call(['identify', plan.user('clock'), { level: 2 }], signUp)
      tablet.call(['updateTraits', { level: 3 }], order(plan))
      tablet.turnClock(-90)
      tablet.call(search(plan))
      tablet.link('/docs')
      laptop.call(search(plan))
    },
  },
  {
    name: 'night-owl',
    about: 'a visit over midnight, and one of more than 24 hours',
    tell(plan) {
      const laptop = plan.device('laptop')
      plan.waitUntil(23, 40)
      laptop.visit('/', arrival(plan))
      for (let times = 6; times > 0; times--) laptop.call(search(plan))
      laptop.link('/pricing')
      laptop.call(['identify', plan.user('owl'), traits(plan)], order(plan))
      plan.waitDays(1)
      laptop.link('/docs')
      /** @type {import('../types').Call[]} */
      const day = Array.from({ length: 60 }, () => [search(plan), /** @type {const} */ (['wait', 25])]).flat()
      laptop.call(...day)
      laptop.call(order(plan))
    },
  },
]
