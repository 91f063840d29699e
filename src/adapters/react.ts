import { createContext, createElement, useContext, useEffect, type ReactElement, type ReactNode } from 'react'
import { waymark as usual } from '../entries/index'
import type { AdapterOptions, EventMap, Waymark } from '../core/types'

const Context = createContext<Waymark>(usual)

export interface WaymarkProviderProps<Events extends object = EventMap> extends AdapterOptions<Events> {
  children?: ReactNode
}

/**
 * Starts waymark in the browser and hands it to `useWaymark` and `useTrack`. It is never shut down here: Strict Mode
 * mounts everything twice, and the second start of an instance changes nothing.
 *
 * @example
 * <WaymarkProvider apiKey="pk_1" config={{ endpoint: 'https://api.example.com', plugins: [pageviews()] }}>
 *   <App />
 * </WaymarkProvider>
 */
export function WaymarkProvider<Events extends object = EventMap>({
  waymark = usual,
  apiKey,
  config,
  children,
}: WaymarkProviderProps<Events>): ReactElement {
  // Effects of the children run first: what they track waits for the start, with its time.
  useEffect(() => {
    if (apiKey) waymark.init(apiKey, config!)
  }, [waymark, apiKey])
  return createElement(Context.Provider, { value: waymark as unknown as Waymark }, children)
}

/** The instance of the nearest provider, or the one that `waymark` exports. */
export const useWaymark = <Events extends object = EventMap>(): Waymark<Events> => useContext(Context)

/** Its `track`: the same function at every render, so it may stand among an effect's dependencies. */
export const useTrack = <Events extends object = EventMap>(): Waymark<Events>['track'] =>
  useWaymark<Events>().track
