export const minuteMs = 60_000
/**
 * Steps are multiples of this apart, so that none comes just when a session ends (30 minutes), and a clock that is wrong
 * by something else gives no event the time of another.
 */
const stepMinutes = 4

/** @typedef {import('../types').Place} Place */

/**
 * Writes down what one person does, step after step. Time never stands still, so that the order of the
 * steps is also that of their times.
 * @param {string} id
 * @param {import('./createRandom.mjs').Random} random
 * @param {number} startsAt Unix milliseconds
 */
export function createPlan(id, random, startsAt) {
  let now = startsAt
  /** @type {import('../types').Device[]} */
  const devices = []
  /** @type {import('../types').Step[]} */
  const steps = []
  /** @type {(() => void)[]} */
  const ends = []

  /** @param {string} name @param {Partial<import('../types').Device> & { fastMinutes?: number }} [options] */
  const device = (name, { fastMinutes = 0, ...options } = {}) => {
    const own = {
      id: `${id}/${name}`,
      isKilled: false,
      consent: /** @type {const} */ ('granted'),
      gpc: false,
      isCrossOrigin: random.chance(0.3),
      hasCampaign: random.chance(),
      isBot: false,
      ...options,
    }
    devices.push(own)
    let skewMinutes = fastMinutes
    /** @type {Set<number>} */
    const open = new Set()

    /** @param {number} number @param {import('../types').Deed} deed */
    const step = (number, deed) => {
      now += random.whole(1, 4) * stepMinutes * minuteMs
      const clock = now + skewMinutes * minuteMs
      steps.push({ id: `${id}.${steps.length + 1}`, device: own.id, tab: number, clock, deed })
      if (deed.kind === 'call')
        for (const [call, minutes] of deed.calls) if (call === 'wait') now += minutes * minuteMs
      if (deed.kind === 'visit') open.add(number)
      if (deed.kind === 'close' || (deed.kind === 'call' && deed.end === 'close')) open.delete(number)
      if (deed.kind === 'kill') open.clear()
    }
    const tab = (/** @type {number} */ number) => ({
      /** @param {string} path @param {Partial<Place> & { fromNews?: boolean }} [more] */
      visit: (path, more = {}) => step(number, { kind: 'visit', path, ...more }),
      /** @param {string} path @param {Partial<Place>} [more] */
      link: (path, more = {}) => step(number, { kind: 'link', path, ...more }),
      reload: () => step(number, { kind: 'reload' }),
      back: () => step(number, { kind: 'back' }),
      forward: () => step(number, { kind: 'forward' }),
      close: () => step(number, { kind: 'close' }),
      /** @param {...import('../types').Call} calls */
      call: (...calls) => step(number, { kind: 'call', calls }),
      /** The calls are the last thing that the page does. @param {'close' | Place} end @param {...import('../types').Call} calls */
      leave: (end, ...calls) => step(number, { kind: 'call', calls, end }),
      /** @param {boolean} isOnline @param {boolean} isKnown */
      network: (isOnline, isKnown) => step(number, { kind: 'network', isOnline, isKnown }),
      fail: () => step(number, { kind: 'fail' }),
    })
    ends.push(() => {
      // What a page could not send is sent by the next page of the same origin (docs/delivery.md, "Late").
      if (open.size) return
      wait(random.whole(1, 4) * 24 * 60)
      tab(9).visit('/')
    })
    return {
      ...tab(1),
      tab,
      kill: () => step(0, { kind: 'kill' }),
      /** Sets the clock of the device. @param {number} minutes */
      turnClock(minutes) {
        skewMinutes += minutes
      },
    }
  }

  /** @param {number} minutes */
  const wait = (minutes) => {
    now += Math.ceil(minutes / stepMinutes) * stepMinutes * minuteMs
  }

  return {
    id,
    random,
    device,
    wait,
    waitHours: (/** @type {number} */ hours) => wait(hours * 60),
    waitDays: (/** @type {number} */ days) => wait(days * 24 * 60),
    /** Goes on at a time of day (UTC). @param {number} hour @param {number} minute */
    waitUntil(hour, minute) {
      const day = 24 * 60 * minuteMs
      const wanted = Math.floor(now / day) * day + (hour * 60 + minute) * minuteMs
      now = wanted > now ? wanted : wanted + day
    },
    /** @param {string} name */
    user: (name) => `${id}-${name}`,
    /** Every device is used once more, if nothing is open on it. @returns {Pick<import('../types').Person, 'id' | 'devices' | 'steps'>} */
    finish() {
      for (const end of ends) end()
      return { id, devices, steps }
    },
  }
}

/** @typedef {ReturnType<typeof createPlan>} Plan */
