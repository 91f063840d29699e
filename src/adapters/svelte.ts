import { getContext, hasContext, setContext } from 'svelte'
import { waymark as usual } from '../entries/index'
import type { AdapterOptions, EventMap, Waymark } from '../core/types'

const key = Symbol('waymark')

/**
 * Starts waymark in the browser and hands it to `getWaymark` in all components inside. Call it in the outermost
 * component's script.
 *
 * @example
 * setWaymark({ apiKey: 'pk_1', config: { endpoint: 'https://api.example.com' } })
 */
export function setWaymark<Events extends object = EventMap>({
  waymark = usual,
  apiKey,
  config,
}: AdapterOptions<Events>): Waymark<Events> {
  setContext(key, waymark)
  return apiKey ? waymark.init(apiKey, config!) : waymark
}

/** The instance of the component around, or the one that `waymark` exports. Call it in a component's script. */
export const getWaymark = <Events extends object = EventMap>(): Waymark<Events> =>
  hasContext(key) ? getContext<Waymark<Events>>(key) : usual

type EventName = Extract<keyof EventMap, string>
type PropertiesFor<P> = {} extends P ? { properties?: P } : { properties: P }

/** What `use:track` takes. `on` is the DOM event that is waited for. @defaultValue `'click'` */
export type TrackAction = {
  [Name in EventName]: { event: Name; on?: string } & PropertiesFor<EventMap[Name]>
}[EventName]

/**
 * Makes the action `track`, which records an event at every click.
 *
 * @example
 * const track = createTrackAction(getWaymark())
 * // <button use:track={{ event: 'Plan Chosen', properties: { plan: 'pro' } }}>
 */
export const createTrackAction = (waymark: Waymark) => (node: Element, given: TrackAction) => {
  let now = given
  const heard = () => void waymark.track(now.event, now.properties)
  const { on = 'click' } = given
  node.addEventListener(on, heard)
  return {
    update(next: TrackAction) {
      now = next
    },
    destroy: () => node.removeEventListener(on, heard),
  }
}
