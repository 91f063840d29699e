import { afterAll, vi } from 'vitest'

/**
 * Many files run in one process, one after the other. A global that one has replaced must not meet the next, and what
 * a module has read of its page is read anew.
 */
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.resetModules()
})
