import type { Signals, Stop } from './types'

export type Emit = <K extends keyof Signals>(name: K, signal: Signals[K]) => void

/** Tells the person who debugs: by the signal `error`, and in the console when `always` or in debug mode. */
export type Complain = (code: string, message: string, always?: boolean) => void

/** Holds the listeners. One that throws harms neither the others nor the caller. */
export function createSignals() {
  const listeners = new Set<[name: keyof Signals, fn: (signal: never) => void]>()

  return {
    on<K extends keyof Signals>(name: K, fn: (signal: Signals[K]) => void): Stop {
      const listener: [K, typeof fn] = [name, fn]
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    emit: ((name, signal) => {
      for (const [heard, fn] of listeners) {
        try {
          if (heard === name) fn(signal as never)
        } catch {}
      }
    }) as Emit,
  }
}
