import { setTimeout as sleep } from 'node:timers/promises'
import { killTree } from '../../ledger/engines/processTree.mjs'
import { waitFor } from '../../ledger/engines/waitFor.mjs'
import { createDoor } from './createDoor.mjs'

/**
 * docs/delivery.md, "Lost": "The browser is killed … within some 5–20 ms of the call", and "Firefox closes the tab within some
 * milliseconds of the call, in an outage". Nobody is that quick here.
 */
const storeMs = 250
/**
 * docs/architecture.md, "The visitor": a page that goes before its ids were read hands off under others. After a
 * return from the page cache they are read 300 ms later: by a timer, which a tab in the background has once a second.
 */
const readIdsAgainMs = 1600
/** A page that waits for a choice gives no sign. */
const undecidedMs = 300
/** Between two tabs of one browser a person needs so long; a message between them takes some milliseconds. */
const changeTabMs = 250

/**
 * The browser lost all that the origin had stored. docs/delivery.md, "Lost": "The browser loses its whole IndexedDB
 * (Chromium did in 2 of 790 kills)": events that waited, and the ids. Nothing can be said about such a run.
 */
export class StorageLost extends Error {}

/**
 * @typedef {object} World
 * @property {import('../../ledger/engines/types').Engine} engine
 * @property {import('../../ledger/engines/types').Session} session the browser of all who do not kill theirs
 * @property {(device: string) => import('../../ledger/engines/types').LaunchOptions} launchOptions for a browser of its own
 * @property {string} serviceUrl
 * @property {string} apiKey
 * @property {string} newsUrl
 * @property {Map<string, Buffer>} library
 */

/**
 * Does on real devices what the plan of a person says. Resolves when the last page is open.
 * @param {import('../types').Person} person
 * @param {World} world
 */
export async function livePerson({ devices, steps }, world) {
  /** @type {Map<string, Awaited<ReturnType<typeof createHand>>>} */
  const hands = new Map()
  for (const device of devices) hands.set(device.id, await createHand(device, world))
  const close = async () => {
    for (const hand of hands.values()) await hand.close()
  }
  try {
    for (const step of steps) {
      await hands
        .get(step.device)
        ?.act(step)
        .catch((error) => {
          if (error instanceof StorageLost) throw error
          throw new Error(`Step ${step.id} (${step.deed.kind}): ${error.message}`, { cause: error })
        })
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    close,
    requests: () => Object.fromEntries([...hands].map(([id, { door }]) => [id, door.passed.requests])),
  }
}

/** A device in somebody's hand. @param {import('../types').Device} device @param {World} world */
async function createHand(device, { engine, session: shared, launchOptions, newsUrl, ...parts }) {
  const door = await createDoor({ device, ...parts })
  const launch = () => engine.launch(launchOptions(device.id))
  let session = device.isKilled ? await launch() : shared
  /** @type {Map<number, { tab: import('../../ledger/engines/types').Tab, pages: string[], at: number }>} */
  const open = new Map()

  /** What holds, as the page must know before somebody goes on. */
  let consent = device.gpc ? 'denied' : device.consent

  const here = (/** @type {number} */ number) => {
    const found = open.get(number)
    if (!found) throw new Error(`tab ${number} is not open`)
    return found
  }
  /** @param {import('../../ledger/engines/types').Tab} tab @param {string} id */
  const arrive = async (tab, id) => {
    await waitFor(`the page of ${id} loads`, () => tab.run(`person.isAt('${id}')`).catch(() => false))
    await readIds(tab)
  }
  /** Until the page has read what is stored. @param {import('../../ledger/engines/types').Tab} tab */
  const readIds = async (tab) => {
    const sign = {
      granted: `waymark.stats().store === 'indexeddb'`,
      denied: `waymark.getConsent() === 'denied'`,
    }
    if (consent === 'pending') await sleep(undecidedMs)
    else await waitFor('the page reads what is stored', () => tab.run(sign[consent]))
  }
  /** Until all that these pages have tracked is on disk. @param {{ tab: import('../../ledger/engines/types').Tab }[]} pages */
  const stored = async (pages) => {
    for (const { tab } of pages) await tab.run('person.written().then(() => 0)')
    await sleep(storeMs)
  }
  /** Until all tabs know the same, unless they never do. */
  const changeTab = async () => {
    const agree = async () => {
      const known = await Promise.all([...open.values()].map(({ tab }) => tab.run('person.known()')))
      return new Set(known).size === 1
    }
    await waitFor('the tabs agree', agree, { quietMs: 5000 }).catch(() => {})
    await sleep(changeTabMs)
  }
  /** @param {number} number @param {string} id */
  const landed = async (number, id) => {
    const own = here(number)
    own.pages = [...own.pages.slice(0, own.at + 1), id]
    own.at = own.pages.length - 1
    await arrive(own.tab, id)
  }
  /** @param {number} number @param {string} url */
  const follow = (number, url) => here(number).tab.run(`void (location.href = ${JSON.stringify(url)})`)

  /** @param {number} number @param {string} url */
  const goTo = async (number, url) => {
    const known = open.get(number)
    if (known) await known.tab.goto(url)
    else open.set(number, { tab: await session.open(url), pages: [], at: -1 })
  }

  /** @param {import('../types').Step} step */
  const act = async ({ id, tab: number, clock, deed }) => {
    door.state.clock = clock
    if (deed.kind === 'visit') {
      const url = door.urlOf(id, deed)
      await goTo(number, deed.fromNews ? newsUrl : url)
      if (deed.fromNews) await follow(number, url)
      await landed(number, id)
      if (door.state.wasKilled && !(await here(number).tab.run('person.databases'))) throw new StorageLost()
      door.state.wasKilled = false
    } else if (deed.kind === 'link') {
      await follow(number, door.urlOf(id, deed))
      await landed(number, id)
    } else if (deed.kind === 'reload') {
      const { tab, pages, at } = here(number)
      await tab.reload()
      await arrive(tab, pages[at] ?? '')
    } else if (deed.kind === 'back' || deed.kind === 'forward') {
      const own = here(number)
      own.at += deed.kind === 'back' ? -1 : 1
      await own.tab[deed.kind]()
      await arrive(own.tab, own.pages[own.at] ?? '')
      await sleep(readIdsAgainMs)
    } else if (deed.kind === 'close') {
      if (!door.state.isOnline) await stored([here(number)])
      await here(number).tab.close()
      open.delete(number)
    } else if (deed.kind === 'call') {
      const { calls, end } = deed
      const next = end && end !== 'close' ? door.urlOf(id, end) : undefined
      const given = [id, clock, calls, next].map((value) => JSON.stringify(value) ?? 'undefined')
      await here(number).tab.run(`void person.call(${given.join(', ')})`)
      for (const [name, value] of calls) if (name === 'setConsent') consent = value
      if (calls.some(([name]) => name === 'setConsent')) await readIds(here(number).tab)
      if (next) await landed(number, id)
      if (end === 'close') {
        await here(number).tab.close()
        open.delete(number)
      } else if (open.size > 1) await changeTab()
    } else if (deed.kind === 'kill') {
      await stored([...open.values()])
      await killTree(session.pid)
      open.clear()
      door.state.wasKilled = true
      session = await launch()
    } else if (deed.kind === 'network') {
      const { isOnline, isKnown } = deed
      Object.assign(door.state, { isOnline, isKnown: isKnown && !isOnline })
      if (isKnown) for (const { tab } of open.values()) await tab.run(`void person.setOnline(${isOnline})`)
    } else {
      const before = door.passed.failed
      await waitFor('a request fails', () => door.passed.failed > before)
      // What has failed at the door has not failed for its page yet.
      const knows = async () => {
        const states = [...open.values()].map(({ tab }) => tab.run('waymark.stats().state'))
        return (await Promise.all(states)).includes('waiting')
      }
      await waitFor('the page hears that it failed', knows)
    }
  }

  return {
    door,
    act,
    async close() {
      for (const { tab } of open.values()) await tab.close().catch(() => {})
      open.clear()
      if (device.isKilled) await session.close()
      await door.close()
    },
  }
}
