import { createDevice } from './createDevice.mjs'
import { createHistory } from './createHistory.mjs'
import { createVisitors } from './createVisitors.mjs'

const minuteMs = 60_000

/**
 * What must be stored, by what people did and by the documented rules alone.
 * @param {import('../types').Person[]} people
 * @returns {import('../types').Truth}
 */
export function tellTruth(people) {
  const visitors = createVisitors()
  /** @type {import('../types').TrueEvent[]} */
  const events = []
  /** @type {import('../types').TrueTraits[]} */
  const traits = []
  for (const person of people) followPerson(person, { visitors, events, traits })
  return { events, traits, personOf: visitors.personOf, isNamed: visitors.isNamed }
}

/**
 * @param {import('../types').Person} person
 * @param {{ visitors: ReturnType<typeof createVisitors>, events: import('../types').TrueEvent[], traits: import('../types').TrueTraits[] }} book
 */
function followPerson({ devices, steps }, { visitors, events, traits }) {
  const known = new Map(
    devices.map(({ id, gpc, consent, isBot, hasCampaign }) => [
      id,
      {
        // docs/library.md, "Consent": "Global Privacy Control counts as denied".
        device: createDevice(id, gpc ? 'denied' : consent),
        isBot,
        hasCampaign,
        /** @type {Map<number, import('./createHistory.mjs').TabHistory>} */
        tabs: new Map(),
        /** What waits in the memory of a page for the visitor's choice. @type {(() => void)[]} */
        waiting: [],
      },
    ]),
  )

  for (const { id, device: deviceId, tab, clock, deed } of steps) {
    const own = /** @type {NonNullable<ReturnType<typeof known.get>>} */ (known.get(deviceId))
    const { device, tabs, isBot, hasCampaign } = own
    const history = tabs.get(tab) ?? createHistory()
    tabs.set(tab, history)

    /** @param {() => void} record */
    const run = (record) => {
      if (device.consent === 'granted') record()
      // docs/library.md, "Consent": under pending "calls wait in memory, with their time and URL".
      else if (device.consent === 'pending') own.waiting.push(record)
    }
    /** @param {{ mark: string, name: string, at: number, properties: Record<string, unknown> }} event */
    const track = (event) => {
      const { path, isFromNews, utm: address } = history.here
      run(() => {
        const session = device.sessionAt(event.at).id
        const { visitor, utm: registered } = device
        // docs/sql.md, "What the service adds": the address counts "where no `$utm_` property is sent".
        const utm = Object.keys(registered).length ? registered : address
        const page = { path, isFromNews, address, registered, utm }
        events.push({ ...event, ...page, device: deviceId, visitor, session, isBot })
      })
    }
    /** The page is gone, and with it what waited for a choice: docs/delivery.md, "Lost". */
    const leave = () => void (own.waiting = [])
    const view = () => track({ mark: history.see(), name: '$pageview', at: clock, properties: {} })
    /** A page is loaded. */
    const load = () => {
      const { utm, isFromNews } = history.here
      run(() => {
        device.sessionAt(clock)
        if (hasCampaign && (isFromNews || Object.keys(utm).length)) device.arriveBy(utm)
      })
      view()
    }
    /** @param {import('../types').Place} place @param {boolean} [isFromNews] */
    const go = ({ path, utm = {} }, isFromNews = false) => {
      leave()
      history.open({ id, path, utm, isFromNews })
      load()
    }

    /** @type {Record<string, (...given: any[]) => void>} */
    const calls = {
      identify: (at, user, said = {}) =>
        run(() => {
          device.login(user, at)
          visitors.identify(device.visitor, user)
          traits.push({ user, traits: said, at })
        }),
      updateTraits: (at, said) =>
        run(() => void (device.user && traits.push({ user: device.user, traits: said, at }))),
      alias: (_at, user) => run(() => visitors.alias(device.user ?? device.visitor, user)),
      reset: (at) => run(() => device.reset(at)),
      setConsent(_at, state) {
        if (state === 'denied') device.forget()
        device.consent = state
        const waiting = own.waiting
        leave()
        if (state === 'granted') for (const record of waiting) record()
      },
    }
    /** @param {import('../types').Call[]} made */
    const call = (made) => {
      let at = clock
      for (const [index, [name, ...given]] of made.entries()) {
        if (name === 'wait') at += Number(given[0]) * minuteMs
        else if (name === 'track') {
          const [event, properties = {}] = /** @type {[string, Record<string, unknown>?]} */ (given)
          track({ mark: `${id}/${index}`, name: event, at, properties })
        } else calls[name]?.(at, ...given)
      }
    }

    if (deed.kind === 'visit') go(deed, deed.fromNews)
    else if (deed.kind === 'link') go(deed)
    else if (deed.kind === 'reload') {
      leave()
      load()
    } else if (deed.kind === 'back' || deed.kind === 'forward') {
      leave()
      history.move(deed.kind === 'back' ? -1 : 1)
      view()
    } else if (deed.kind === 'close') leave()
    else if (deed.kind === 'kill') tabs.clear()
    else if (deed.kind === 'call') {
      call(deed.calls)
      if (deed.end) leave()
      // The link is followed in the task of the calls; its page is a page like any other.
      if (deed.end && deed.end !== 'close') go(deed.end)
    }
  }
}
