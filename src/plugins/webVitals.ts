import type { Plugin } from '../core/types'

interface Metric {
  name: string
  value: number
  delta: number
  id: string
  rating?: string
  navigationType?: string
}
type Observe = (report: (metric: Metric) => void) => void

/** Those functions of the package `web-vitals` that are to be observed. */
export type Vitals = Partial<Record<'onCLS' | 'onFCP' | 'onINP' | 'onLCP' | 'onTTFB', Observe>>

const names = ['onCLS', 'onFCP', 'onINP', 'onLCP', 'onTTFB'] as const

/**
 * Records `Web Vital` for each measurement of the package `web-vitals`, which you hand in.
 *
 * @example
 * import * as vitals from 'web-vitals'
 * waymark.use(webVitals(vitals))
 */
export function webVitals(vitals: Vitals): Plugin {
  return {
    name: 'web-vitals',
    start({ track }) {
      let isOn = true
      const report = ({ name, value, delta, id, rating, navigationType }: Metric) => {
        if (isOn) track('Web Vital', { name, value, delta, id, rating, navigation_type: navigationType })
      }
      for (const name of names) vitals[name]?.(report)
      // The package has no way to stop.
      return () => {
        isOn = false
      }
    },
  }
}
