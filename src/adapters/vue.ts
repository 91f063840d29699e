import { inject, type InjectionKey, type Plugin } from 'vue'
import { waymark as usual } from '../entries/index'
import type { EventMap, InitConfig, Waymark } from '../core/types'

const key: InjectionKey<Waymark> = Symbol('waymark')

export interface VueOptions<Events extends object = EventMap> {
  /** The instance for this application. @defaultValue the one that `waymark` exports */
  waymark?: Waymark<Events>
  /** Starts the instance in the browser with `config`; leave both out when `init` is called elsewhere. */
  apiKey?: string
  /** What `init` takes. */
  config?: InitConfig
}

/**
 * Starts waymark in the browser and hands it to `useWaymark` and `useTrack`, and to templates as `$waymark`.
 *
 * @example
 * createApp(App).use(waymarkPlugin({ apiKey: 'pk_1', config: { endpoint: 'https://api.example.com' } }))
 */
export function waymarkPlugin<Events extends object = EventMap>({
  waymark = usual,
  apiKey,
  config,
}: VueOptions<Events>): Plugin {
  return {
    install(app) {
      app.provide(key, waymark)
      app.config.globalProperties['$waymark'] = waymark
      if (apiKey) waymark.init(apiKey, config!)
    },
  }
}

/** The instance of this application, or the one that `waymark` exports. Call it in `setup`. */
export const useWaymark = <Events extends object = EventMap>(): Waymark<Events> => inject(key, usual)

/** Its `track`. */
export const useTrack = <Events extends object = EventMap>(): Waymark<Events>['track'] =>
  useWaymark<Events>().track
