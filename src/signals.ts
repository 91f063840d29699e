import type { Signals, Stop } from './types'

export type Emit = <K extends keyof Signals>(name: K, signal: Signals[K]) => void

/** Tells the person who debugs: by the signal `error`, and in the console when `always` or in debug mode. */
export type Complain = (code: string, message: string, always?: boolean) => void

/** Holds the listeners. One that throws harms neither the others nor the caller. */
export function createSignals() {
  const listeners = new Map<string, Set<(signal: never) => void>>()

  return {
    on<K extends keyof Signals>(name: K, fn: (signal: Signals[K]) => void): Stop {
      if (!listeners.has(name)) listeners.set(name, new Set())
      listeners.get(name)!.add(fn)
      return () => void listeners.get(name)!.delete(fn)
    },
    emit: ((name, signal) => {
      for (const fn of listeners.get(name) ?? []) {
        try {
          fn(signal as never)
        } catch {}
      }
    }) as Emit,
  }
}
