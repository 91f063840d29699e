import { describe, expect, it } from 'vitest'
import * as vitals from 'web-vitals'
import { webVitals } from '../../src/plugins/webVitals'
import { createHost } from './createHost'

const metric = {
  name: 'CLS',
  value: 0.04,
  delta: 0.04,
  id: 'v5-1',
  rating: 'good',
  navigationType: 'navigate',
}

describe('webVitals', () => {
  it('records what the functions that it was given measure, until it is stopped', () => {
    let report: ((told: typeof metric) => void) | undefined
    const host = createHost()
    const stop = host.start(webVitals({ onCLS: (fn) => (report = fn) }))
    report!(metric)
    stop()
    report!(metric)
    expect(host.tracked).toEqual([
      {
        event: 'Web Vital',
        properties: {
          name: 'CLS',
          value: 0.04,
          delta: 0.04,
          id: 'v5-1',
          rating: 'good',
          navigation_type: 'navigate',
        },
      },
    ])
  })

  it('takes the package as it is', () => {
    // A compile error where the package no longer fits; in Node it measures nothing.
    expect(webVitals(vitals).name).toBe('web-vitals')
  })
})
