import { isObject, toJson } from '../toJson'
import type { Properties, Scope } from '../types'
import type { Shared } from './createSettings'

const without = (properties: Properties, names: string[]) =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))

/** Properties that every event carries, for as long as their scope lasts. */
export function createRegister(settings: Shared, sessionId: () => string) {
  const read = (scope: Scope): Properties => {
    const { values } = settings
    if (scope !== 'session') return values[scope] ?? {}
    return values.sessional?.id === sessionId() ? values.sessional.properties : {}
  }
  const write = (scope: Scope, given: Properties) => {
    // What JSON holds every browser can store, and tell other tabs.
    const properties = JSON.parse(toJson(given)) as Properties
    if (scope === 'memory') settings.hear({ memory: properties })
    else if (scope === 'persistent') settings.set({ persistent: properties })
    else settings.set({ sessional: { id: sessionId(), properties } })
  }
  const all = (): Properties => ({ ...read('persistent'), ...read('session'), ...read('memory') })

  const register = (properties: Properties, scope: Scope = 'persistent') =>
    write(scope, { ...read(scope), ...(isObject(properties) && properties) })

  return {
    all,
    register,
    registerOnce: (properties: Properties, scope?: Scope) =>
      register(isObject(properties) ? without(properties, Object.keys(all())) : {}, scope),
    unregister(...names: string[]) {
      for (const scope of ['memory', 'session', 'persistent'] as const)
        write(scope, without(read(scope), names))
    },
  }
}
