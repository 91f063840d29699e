/** Runs work that is given to it one after the other. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

export const createTurns = (): InTurn => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}
