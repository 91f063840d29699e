import type { Signals, Stop } from './types'

export type Emit = <K extends keyof Signals>(name: K, signal: Signals[K]) => void

/** Tells the person who debugs: by the signal `error`, and in the console when `always` or in debug mode. */
export type Complain = (code: string, message: string, always?: boolean) => void

/**
 * Holds the listeners. One that throws harms neither the others nor the caller, and one that runs is not called again:
 * what it does itself could go on without end.
 */
export function createSignals() {
  const listeners = new Set<[name: keyof Signals | false, fn: (signal: never) => void]>()

  return {
    on<K extends keyof Signals>(name: K, fn: (signal: Signals[K]) => void): Stop {
      const listener: [K | false, typeof fn] = [name, fn]
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    emit: ((name, signal) => {
      for (const listener of listeners) {
        if (listener[0] !== name) continue
        listener[0] = false
        try {
          listener[1](signal as never)
        } catch {}
        listener[0] = name
      }
    }) as Emit,
  }
}
