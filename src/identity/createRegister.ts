import type { Properties, Scope } from '../types'
import type { Shared } from './createSettings'

const without = (properties: Properties, names: string[]) =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))

/** Properties that every event carries, for as long as their scope lasts. They are given in a frozen copy. */
export function createRegister(settings: Shared, sessionId: () => string) {
  const read = (scope: Scope): Properties => {
    const { values } = settings
    if (scope === 'memory' || scope === 'persistent') return values[scope] ?? {}
    return values.sessional?.id === sessionId() ? values.sessional.properties : {}
  }
  const write = (scope: Scope, properties: Properties) => {
    if (scope === 'memory') settings.hear({ memory: properties })
    else if (scope === 'persistent') settings.set({ persistent: properties })
    else settings.set({ sessional: { id: sessionId(), properties } })
  }
  const all = (): Properties => ({ ...read('persistent'), ...read('session'), ...read('memory') })

  const register = (properties: Properties, scope: Scope = 'persistent') =>
    write(scope, { ...read(scope), ...properties })

  return {
    all,
    register,
    registerOnce: (properties: Properties, scope?: Scope) =>
      register(without(properties, Object.keys(all())), scope),
    unregister(...names: string[]) {
      for (const scope of ['memory', 'session', 'persistent'] as const)
        write(scope, without(read(scope), names))
    },
  }
}
