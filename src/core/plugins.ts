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
  safely(w, plugin, () => w.used.find(([one]) => one === plugin)?.[1]?.())
  w.used = w.used.filter(([one]) => one !== plugin)
}

/** One of each name: an application that mounts twice must not count twice. None, where there is none today. */
export const usePlugin = (w: Instance, plugin: Plugin): Stop => {
  if (!plugin || w.used.some(([other]) => other.name === plugin.name)) return () => {}
  const stop = safely(w, plugin, () => w.pluginHost && plugin.start?.(w.pluginHost))
  w.used.push([plugin, stop])
  return () => remove(w, plugin)
}

/**
 * Starts those that were added before `init`, and those that it is given; none where another instance of the same name
 * follows the page, so that nothing of it is counted twice.
 */
export const startPlugins = (w: Instance, host: Host, given: Plugin[]) => {
  const all = [...w.used.map(([plugin]) => plugin), ...given]
  w.used = []
  if (w.browser.taken.includes(w.storeName)) complain(w, 'already-on-page', w.storeName, true)
  else {
    w.pluginHost = host
    w.browser.taken.push(w.storeName)
  }
  for (const plugin of all) usePlugin(w, plugin)
}

export const stopPlugins = (w: Instance) => {
  const { taken } = w.browser
  if (w.pluginHost) taken.splice(taken.indexOf(w.storeName), 1)
  w.pluginHost = undefined
  for (const [plugin] of w.used) remove(w, plugin)
}

/** Ids that a plugin keeps elsewhere and prefers to those that were stored. */
export const recall = (w: Instance, stored: Partial<Ids>) => {
  for (const [plugin] of w.used) {
    const found = safely(w, plugin, () => plugin.restore?.(stored))
    if (found) return found
  }
}
