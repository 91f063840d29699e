import { maybe } from '../core/maybe'
import type { Draft, Host, Plugin, Properties, Stop } from '../core/types'

/** A plugin that registers properties for a time. What is called before it is used waits until then. */
export interface Scope extends Plugin {
  /** Adds properties to every event from now on, until the scope ends. */
  register(properties: Properties): void
  /** Adds properties whose names are not registered in this scope yet. */
  registerOnce(properties: Properties): void
  /** Takes registered properties away. */
  unregister(...names: string[]): void
}

/** What a scope does with names and values that are fit to be sent. */
interface Store {
  set(own: Properties, isOnce: boolean): void
  remove(names: string[]): void
  /** What an event carries. */
  read(draft: Draft): Properties
  stop: Stop
}

/** In the memory of this page; a `reset` in any tab takes them away. */
const keepInPage = ({ on }: Host): Store => {
  let mine: Properties = {}
  let visitor = ''
  return {
    set(own, isOnce) {
      mine = isOnce ? { ...own, ...mine } : { ...mine, ...own }
    },
    remove(names) {
      for (const name of names) delete mine[name]
    },
    read: () => mine,
    stop: on('identity', ({ anonymousId }) => {
      if (visitor && visitor !== anonymousId) mine = {}
      visitor = anonymousId
    }),
  }
}

const prefix = '@session'

/** Properties from before the session is known lie under no session; its first event takes them over. */
const keyIn = (session: string, name: string) => [prefix, session, name].join('/')

/** Null for what is to be taken away. */
type Waiting = { value?: unknown; isOnce: boolean } | null

/**
 * Among the properties that are registered for good, where other tabs and later pages find them and `reset` takes them
 * away; no event shows them under those names.
 */
const keepInSession = ({ ids, register, registerOnce, unregister }: Host): Store => {
  const under = (session: string, own: Properties) =>
    Object.fromEntries(Object.entries(own).map(([name, value]) => [keyIn(session, name), value]))
  const wait = (names: string[], make: (name: string) => Waiting) =>
    under('', Object.fromEntries(names.map((name) => [name, make(name)])))

  return {
    set(own, isOnce) {
      const { sessionId } = ids()
      const add = isOnce ? registerOnce : register
      add(
        sessionId ? under(sessionId, own) : wait(Object.keys(own), (name) => ({ value: own[name], isOnce })),
      )
    },
    remove(names) {
      const { sessionId } = ids()
      if (sessionId) unregister(...names.flatMap((name) => [keyIn(sessionId, name), keyIn('', name)]))
      else register(wait(names, () => null))
    },
    read({ properties = {} }) {
      const { sessionId } = ids()
      const mine: Properties = {}
      const waiting: [name: string, Waiting][] = []
      for (const [key, value] of Object.entries(properties)) {
        const [start, session, ...rest] = key.split('/')
        if (start !== prefix) continue
        delete properties[key]
        const name = rest.join('/')
        if (session === sessionId) mine[name] = value
        else {
          // Its session is over, or it waits for this one.
          unregister(key)
          if (!session) waiting.push([name, value as Waiting])
        }
      }
      for (const [name, held] of waiting) {
        if (!held) {
          delete mine[name]
          unregister(keyIn(sessionId, name))
        } else if (!held.isOnce || !(name in mine)) {
          mine[name] = held.value
          register(under(sessionId, { [name]: held.value }))
        }
      }
      return mine
    },
    stop() {},
  }
}

/**
 * Registers properties for this page, or for the session: in all tabs, until it ends. An event's own properties come
 * first, then those that are registered for good.
 *
 * @example
 * const session = scope('session')
 * waymark.use(session)
 * session.register({ experiment: 'b' })
 */
export function scope(kind: 'page' | 'session'): Scope {
  const waiting: ((host: Host) => void)[] = []
  let used: Host | undefined
  let store: Store | undefined
  const run = (call: (host: Host) => void) => {
    if (used) call(used)
    else waiting.push(call)
  }
  const register = (given: Properties, isOnce: boolean) => {
    // What waits is the caller's no more, as far as the browser can copy it.
    const taken = used ? given : (maybe(() => structuredClone(given)) ?? given)
    run((host) => {
      const own = maybe(() => host.copy(taken))
      if (own) store?.set(own, isOnce)
      // A proxy of the caller's: the core says so.
      else host.register(taken)
    })
  }
  return {
    name: `scope-${kind}`,
    start(host) {
      used = host
      store = (kind === 'page' ? keepInPage : keepInSession)(host)
      for (const call of waiting.splice(0)) call(host)
      return store.stop
    },
    beforeSend(draft) {
      const { properties } = draft
      if (store && properties)
        for (const [name, value] of Object.entries(store.read(draft)))
          if (!(name in properties)) properties[name] = value
      return draft
    },
    register: (properties) => register(properties, false),
    registerOnce: (properties) => register(properties, true),
    unregister: (...names) => run(() => store?.remove(names)),
  }
}
