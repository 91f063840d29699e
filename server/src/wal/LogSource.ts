import type { Applier } from './Applier.js'
import type { CatalogApplierOptions } from './CatalogApplier.js'
import type { DeadLetter } from './DeadLetters.js'

/** Where the engine takes accepted records of analytics from, and whom it tells what became of them. */
export interface LogSource extends Pick<
  CatalogApplierOptions,
  'open' | 'pruned' | 'taskIdOf' | 'lastOfTask'
> {
  /** Wakes the applier from now on; these requests were set aside before. */
  begin(applier: Applier, setAside: readonly DeadLetter[]): void
  onApplied(through: number): void
  /** Keeps the log behind a position for a store that is made of a copy of this one, during the copy and after it. */
  keepLog(position: number, isCopied: boolean): Promise<void>
  /** What of its request has been set aside by now. */
  onSetAside(letter: DeadLetter): void
}
