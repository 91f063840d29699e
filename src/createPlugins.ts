import type { Complain } from './signals'
import type { BeforeSend, Config, Host, Plugin, Stop, Waymark } from './types'

/** Holds the plugins of an instance, and starts them when it starts. */
export function createPlugins(complain: Complain) {
  const running = new Map<Plugin, Stop | void>()
  let host: Host | undefined
  let config: Partial<Config> = {}

  const safely = <T>(plugin: Plugin, fn: () => T) => {
    try {
      return fn()
    } catch (error) {
      return complain('plugin-failed', `${plugin.name}: ${String(error)}`)
    }
  }
  const run = (plugin: Plugin) =>
    running.set(
      plugin,
      safely(plugin, () => host && plugin.start?.(host)),
    )
  const remove = (plugin: Plugin) => {
    safely(plugin, () => running.get(plugin)?.())
    running.delete(plugin)
  }
  /** One of each name: an application that mounts twice must not count twice. None, where there is none today. */
  const use = (plugin: Plugin): Stop => {
    if (!plugin || [...running.keys()].some((other) => other.name === plugin.name)) return () => {}
    run(plugin)
    return () => remove(plugin)
  }

  return {
    use,
    start(
      { track, page, register, registerOnce, on }: Waymark,
      target: { config: Config; cleanUrl: Host['cleanUrl'] },
    ) {
      config = target.config
      target.config.plugins.forEach(use)
      host = { track, page, register, registerOnce, on, cleanUrl: target.cleanUrl }
      // A plugin that these add is started as it is added.
      for (const plugin of [...running.keys()]) run(plugin)
    },
    stop() {
      host = undefined
      for (const plugin of running.keys()) remove(plugin)
    },
    /** Those who may change or drop a call, in their order. */
    filters: (): BeforeSend[] => [...running.keys(), config].flatMap((one) => one.beforeSend ?? []),
  }
}
