import { closingAt, openings, startOf } from '../../sql/guard/readHead.js'
import { isSymbol, type SqlToken, type Edit } from '../../sql/guard/tokenize.js'
import type { Settings } from '../Settings.js'

/** Collects the edits of one statement. An edit is of whole tokens, or stands beside one, so that edits nest. */
export class Rewrite {
  readonly tokens: readonly SqlToken[]
  readonly user: string
  readonly settings: Settings
  readonly #replaced: Edit[] = []
  readonly #before: Edit[] = []
  readonly #after: Edit[] = []
  readonly #taken = new Set<number>()
  #opened: ReadonlyMap<number, number> | undefined

  constructor(tokens: readonly SqlToken[], { user, settings }: { user: string; settings: Settings }) {
    this.tokens = tokens
    this.user = user
    this.settings = settings
  }

  /** The word or name at an index, in small letters; empty for anything else. */
  word(at: number): string {
    const token = this.tokens[at]
    return token?.kind === 'word' || token?.kind === 'name' ? token.text.toLowerCase() : ''
  }

  is(at: number, sign: string): boolean {
    return isSymbol(this.tokens[at], sign)
  }

  /** Whether signs stand here without a space between them. */
  isOperator(at: number, signs: string): boolean {
    return [...signs].every(
      (sign, by) => this.is(at + by, sign) && this.tokens[at + by]!.start === this.tokens[at]!.start + by,
    )
  }

  /** What a plain text says; undefined for another token. */
  text(at: number): string | undefined {
    const token = this.tokens[at]
    if (token?.kind !== 'text' || !token.text.startsWith("'") || /^e$/i.test(this.tokens[at - 1]?.text ?? ''))
      return undefined
    return token.text.slice(1, -1).replaceAll("''", "'")
  }

  startOf(end: number): number | undefined {
    this.#opened ??= openings(this.tokens)
    return startOf(this.tokens, this.#opened, end)
  }

  /** The commas between the arguments of the call whose brackets stand at `open` and `close`. */
  commasIn(open: number, close: number): number[] {
    const commas: number[] = []
    for (let at = open + 1; at < close; at++) {
      if (this.is(at, '(') || this.is(at, '[')) at = closingAt(this.tokens, at)
      else if (this.is(at, ',')) commas.push(at)
    }
    return commas
  }

  replace(from: number, to: number, text: string): void {
    this.#replaced.push({ start: this.tokens[from]!.start, end: this.tokens[to]!.end, text })
    for (let at = from; at <= to; at++) this.#taken.add(at)
  }

  before(at: number, text: string): void {
    const { start } = this.tokens[at]!
    this.#before.push({ start, end: start, text })
  }

  after(at: number, text: string): void {
    const { end } = this.tokens[at]!
    this.#after.push({ start: end, end, text })
  }

  /** Whether a token is replaced already. */
  isTaken(at: number): boolean {
    return this.#taken.has(at)
  }

  /** At one place an edit that ends comes first, then one that begins, the outer before the inner. */
  edits(): Edit[] {
    return [...this.#after, ...this.#before.toReversed(), ...this.#replaced]
  }
}
