/** Runs work that is given to it one after the other. */
export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>

export const createMutex = (): OneAtATime => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}
