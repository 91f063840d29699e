import { Edits } from '../../sql/text/edits.js'
import { itemsOf } from '../../sql/text/operands.js'
import { isSymbol, lowerName, type SqlToken, wordOf } from '../../sql/text/tokenize.js'
import { isOfPlace } from '../catalog/createCatalog.js'
import { pg, schemaOf } from '../catalog/names.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import type { Settings } from '../Settings.js'

const maxLive = 20

/** Aggregates whose values may be of any type: for numbers no type needs to be known. */
const aggregates = new Set(
  'min max sum avg array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg list first last any_value mode'.split(
    ' ',
  ),
)

/** A connection as `pg_stat_activity` shows it to its user. */
export interface Activity {
  pid: number
  datname: string
  application: string
  state: string
  query: string
  started: Date
  asked: Date
}

/** What a statement may ask about its client. */
export interface Asker {
  user: string
  settings: Settings
  /** Sets one of them and returns what it is then; undefined where the statement is only described. */
  set?: ((name: string, value: string | undefined, isLocal: boolean) => string) | undefined
  /** The number of its connection. */
  pid: number
  /** The schema in which names are looked for first, as it is shown. */
  schema: string
  /** Whether a function of this name is a macro of a user's, which stands before those of PostgreSQL. */
  isOwn(name: string): boolean
  /** The database that it has entered. */
  database: string
  /** Those that are shown as schemas of the database. */
  catalogs: readonly string[]
  /** The user's connections, as rows of `pg_stat_activity`. */
  activity(): readonly object[]
}

/** The edits of one statement, and what they are made by. */
export class Rewrite extends Edits {
  readonly asker: Asker
  /** Whether it joins what several SELECTs show. */
  readonly hasUnion: boolean
  #liveRelations = 0

  constructor(tokens: readonly SqlToken[], asker: Asker) {
    super(tokens)
    this.asker = asker
    this.hasUnion = tokens.some((token) => wordOf(token) === 'union')
  }

  /** Called for each relation that differs from client to client, because all of its rows stand in the statement. */
  countLive(): void {
    if (++this.#liveRelations <= maxLive) return
    throw new ProtocolError(
      sqlState.tooLarge,
      `A statement may name pg_settings, pg_stat_activity and the roles ${maxLive} times.`,
    )
  }

  /** Does work that is about a token, and so is its refusal. */
  about<T>(at: number, work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (error instanceof ProtocolError) error.place ??= this.tokens[at]!.start
      throw error
    }
  }

  /** What stands for a relation or function of PostgreSQL's catalog. */
  own(name: string): string {
    return `${isOfPlace(name) ? schemaOf(this.asker.database) : pg}.${name}`
  }

  /** The word or name at an index, in small letters; empty for anything else. */
  word(at: number): string {
    return lowerName(this.tokens[at])
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

  /** What the name of a macro begins with that must know the types of these: `late_` of aggregates and windows. */
  lateAt(first: number, last: number): string {
    for (let at = first; at <= last; at++) {
      if (this.word(at + 1) === 'select' && this.is(at, '(')) at = this.tokens[at]!.pair
      else if (this.word(at) === 'over') return 'late_'
      else if (aggregates.has(this.word(at)) && this.is(at + 1, '(')) return 'late_'
    }
    return ''
  }

  /** The commas between the items in the brackets that stand at `open` and `close`. */
  commasIn(open: number, close: number): number[] {
    const items = itemsOf(this.tokens, { first: open + 1, last: close - 1 })
    return items.slice(1).map(({ first }) => first - 1)
  }
}
