import { inject, type InjectionKey, type Plugin } from 'vue'
import { waymark as usual } from '../entries/index'
import type { AdapterOptions, EventMap, Waymark } from '../core/types'

const key: InjectionKey<Waymark> = Symbol('waymark')

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
}: AdapterOptions<Events>): Plugin {
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
