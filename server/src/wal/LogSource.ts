import type { Applier } from './Applier.js'
import type { CatalogApplierOptions } from './CatalogApplier.js'
import type { DeadLetter } from './rejected.js'

/** The log from which the engine reads the accepted records of analytics, and to which it reports what became of them. */
export interface LogSource extends Pick<
  CatalogApplierOptions,
  'open' | 'pruned' | 'taskIdOf' | 'lastOfTask'
> {
  /** Wakes the applier from now on. `setAside` are the dead letters from before the start. */
  begin(applier: Applier, setAside: readonly DeadLetter[]): void
  onApplied(through: number, tookMs: number): void
  /** Keeps the log after a position, during a copy of this store and after it, for the store that is made of the copy. */
  keepLog(position: number, isCopied: boolean): Promise<void>
  /** `letter` counts all rows of its request that have been set aside by now. */
  onSetAside(letter: DeadLetter): void
}
