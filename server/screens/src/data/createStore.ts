import { useEffect, useState } from 'preact/hooks'

type Stop = () => void

export interface Store<T> {
  get: () => T
  set: (value: T) => void
  subscribe: (listener: () => void) => Stop
}

/** A value that parts of the page look at, and are drawn anew when it changes. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useStore<T>(store: Store<T>): T {
  const [, show] = useState(store.get)
  useEffect(() => {
    const look = () => show(store.get)
    // It may have changed since it was drawn: effects run a frame later.
    look()
    return store.subscribe(look)
  }, [store])
  return store.get()
}
