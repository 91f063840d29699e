import { complain } from './signals'
import type { Instance } from './instance'
import type { Host, Ids, Plugin, Stop } from './types'

const safely = <T>(w: Instance, plugin: Plugin, fn: () => T) => {
  try {
    return fn()
  } catch (error) {
    complain(w, 'plugin-failed', `${plugin.name}: ${String(error)}`)
  }
}

const remove = (w: Instance, plugin: Plugin) => {
  safely(w, plugin, () => w.used.get(plugin)?.())
  w.used.delete(plugin)
}

/** One of each name: an application that mounts twice must not count twice. None, where there is none today. */
export const usePlugin = (w: Instance, plugin: Plugin): Stop => {
  if (!plugin || [...w.used.keys()].some((other) => other.name === plugin.name)) return () => {}
  w.used.set(
    plugin,
    safely(w, plugin, () => w.pluginHost && plugin.start?.(w.pluginHost)),
  )
  return () => remove(w, plugin)
}

/**
 * Starts those that were added before `init`, and those that it is given; none where another instance of the same name
 * follows the page, so that nothing of it is counted twice.
 */
export const startPlugins = (w: Instance, host: Host, given: Plugin[]) => {
  const all = [...w.used.keys(), ...given]
  w.used.clear()
  if (w.browser.taken.has(w.storeName)) complain(w, 'already-on-page', w.storeName, true)
  else w.pluginHost = host
  w.browser.taken.add(w.storeName)
  for (const plugin of all) usePlugin(w, plugin)
}

export const stopPlugins = (w: Instance) => {
  if (w.pluginHost) w.browser.taken.delete(w.storeName)
  w.pluginHost = undefined
  for (const plugin of w.used.keys()) remove(w, plugin)
}

/** Ids that a plugin keeps elsewhere and prefers to those that were stored. */
export const recall = (w: Instance, stored: Partial<Ids>) => {
  for (const plugin of w.used.keys()) {
    const found = safely(w, plugin, () => plugin.restore?.(stored))
    if (found) return found
  }
}
