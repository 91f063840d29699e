import type { Complain } from './signals'
import type { BeforeSend, Host, Plugin, Stop, Waymark } from './types'

/** Holds the plugins of an instance, and starts them when it starts. */
export function createPlugins({ track, page, register, registerOnce, on }: Waymark, complain: Complain) {
  const running = new Map<Plugin, Stop | void>()
  let host: Host | undefined
  let filters: BeforeSend[] = []

  const run = (plugin: Plugin) => {
    try {
      running.set(plugin, host && plugin.start?.(host))
    } catch (error) {
      complain('plugin-failed', `${plugin.name}: ${String(error)}`)
    }
  }
  const remove = (plugin: Plugin) => {
    try {
      running.get(plugin)?.()
    } catch (error) {
      complain('plugin-failed', `${plugin.name}: ${String(error)}`)
    }
    running.delete(plugin)
    collect()
  }
  const collect = () => {
    filters = [...running.keys()].flatMap(({ beforeSend }) => beforeSend ?? [])
  }

  return {
    /** One of each name: an application that mounts twice must not count twice. */
    use(plugin: Plugin): Stop {
      if ([...running.keys()].some(({ name }) => name === plugin.name)) return () => {}
      run(plugin)
      collect()
      return () => remove(plugin)
    },
    start(cleanUrl: Host['cleanUrl']) {
      host = { track, page, register, registerOnce, on, cleanUrl }
      for (const plugin of running.keys()) run(plugin)
    },
    stop() {
      for (const plugin of running.keys()) remove(plugin)
    },
    filters: (last: BeforeSend | undefined): BeforeSend[] => (last ? [...filters, last] : filters),
  }
}
