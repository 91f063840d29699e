import type { Properties, Scope } from '../types'
import type { Shared } from './createSettings'

/** Properties that every event carries, for as long as their scope lasts. */
export function createRegister(settings: Shared, sessionId: () => string) {
  let memory: Properties = {}

  const inSession = () => {
    const kept = settings.get('sessional')
    return kept?.id === sessionId() ? kept.properties : {}
  }
  const all = (): Properties => ({ ...settings.get('persistent'), ...inSession(), ...memory })

  const register = (properties: Properties, scope: Scope = 'persistent') => {
    if (scope === 'memory') memory = { ...memory, ...properties }
    else if (scope === 'persistent')
      settings.set({ persistent: { ...settings.get('persistent'), ...properties } })
    else settings.set({ sessional: { id: sessionId(), properties: { ...inSession(), ...properties } } })
  }

  const without = (properties: Properties, names: string[]) =>
    Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))

  return {
    all,
    register,
    registerOnce: (properties: Properties, scope?: Scope) =>
      register(without(properties, Object.keys(all())), scope),
    /** At sign-out; the other scopes are gone with the settings. */
    clear() {
      memory = {}
    },
    unregister(names: string[]) {
      memory = without(memory, names)
      settings.set({
        persistent: without(settings.get('persistent') ?? {}, names),
        sessional: { id: sessionId(), properties: without(inSession(), names) },
      })
    },
  }
}
