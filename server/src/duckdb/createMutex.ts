/** Runs work that is given to it one after the other. */
export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>

export const createMutex = (): OneAtATime => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
