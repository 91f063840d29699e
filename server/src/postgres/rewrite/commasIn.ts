import { closingAt } from '../../sql/guard/operands.js'
import type { Rewrite } from './Rewrite.js'

/** The commas between the arguments of the call whose brackets stand at `open` and `close`. */
export const commasIn = (rewrite: Rewrite, open: number, close: number): number[] => {
  const commas: number[] = []
  for (let at = open + 1; at < close; at++) {
    if (rewrite.is(at, '(') || rewrite.is(at, '[')) at = closingAt(rewrite.tokens, at)
    else if (rewrite.is(at, ',')) commas.push(at)
  }
  return commas
}
