import type { IncomingMessage } from 'node:http'
import { clientAddress } from '../http/behindProxy.js'
import { requestId } from '../http/Route.js'
import { SecretSet } from '../http/apiKeys.js'
import type { Logger } from '../Logger.js'
import { OperatorError } from '../OperatorError.js'
import { tooManyTries, wrongTries, TryLimit } from './PasswordCheck.js'

/** Nobody guesses 16 random letters, at whatever rate. */
const fewestLetters = 16
const maxKnownAddresses = 10_000

/**
 * Limits and logs wrong tokens by address, as passwords are. A right token counts at once from an address that has
 * sent one before: who guesses behind the same proxy must not keep the others out.
 */
export class TokenTries {
  readonly #logger: Logger
  readonly #limit: TryLimit
  readonly #knownAddresses = new Set<string>()

  constructor(logger: Logger, now = () => performance.now()) {
    this.#logger = logger
    this.#limit = new TryLimit(wrongTries, now)
  }

  /** Throws a 429 after too many wrong tokens. */
  count(request: IncomingMessage, what: string, isRight: boolean): void {
    const address = clientAddress(request)
    if (isRight && this.#knownAddresses.has(address)) return
    const waitMs = this.#limit.take([address])
    if (waitMs > 0) throw tooManyTries(waitMs, 'tokens')
    if (!isRight) {
      this.#logger.warn(`A token was wrong.`, { request_id: requestId(request), token_of: what, address })
      return
    }
    this.#limit.giveBack([address])
    this.#knownAddresses.add(address)
    if (this.#knownAddresses.size > maxKnownAddresses)
      this.#knownAddresses.delete(this.#knownAddresses.values().next().value!)
  }
}

/** The tokens of a flag, which a request presents as `Authorization: Bearer`. */
export class BearerTokens {
  readonly #secrets: SecretSet
  readonly #flag: string
  readonly #tries: TokenTries

  /** Throws an OperatorError for a token that is too short. */
  constructor(tokens: readonly string[], { flag, tries }: { flag: string; tries: TokenTries }) {
    const short = tokens.find(({ length }) => length < fewestLetters)
    if (short !== undefined)
      throw new OperatorError(
        `A token of ${flag} has ${short.length} letters; give it at least ${fewestLetters}, as openssl rand -base64 24 makes them.`,
      )
    this.#secrets = new SecretSet(tokens)
    this.#flag = flag
    this.#tries = tries
  }

  /** The index of the token that a request presents; -1 for a wrong one, and for none. Throws a 429 after too many wrong ones. */
  indexOf(request: IncomingMessage): number {
    const [, token] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (token === undefined) return -1
    const at = this.#secrets.indexOf(token)
    this.#tries.count(request, this.#flag, at >= 0)
    return at
  }
}
