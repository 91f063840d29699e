/**
 * `login`: nobody is logged in (any more). `forbidden`: this user may not. `away`: no answer at all. `busy`: the service
 * starts or has too much to do. `cancelled`: by the person at the screen. `refused`: the statement is wrong. `broken`:
 * the answer ended too early.
 */
export type ProblemKind = 'login' | 'forbidden' | 'away' | 'busy' | 'cancelled' | 'refused' | 'broken'

/** Why there is no answer, in a sentence for the screen. */
export class Problem extends Error {
  readonly kind: ProblemKind
  /** The service's own name of it, such as `invalid-statement`. */
  readonly code: string

  constructor(kind: ProblemKind, message: string, code = '') {
    super(message)
    this.kind = kind
    this.code = code
  }
}

const kinds: Record<number, ProblemKind> = {
  401: 'login',
  403: 'forbidden',
  429: 'busy',
  502: 'away',
  503: 'busy',
  504: 'away',
}

/** What an answer that is not a success says. */
export async function readProblem(response: Response): Promise<Problem> {
  const kind = kinds[response.status] ?? 'refused'
  const text = await response.text().catch(() => '')
  let [message, code] = ['', '']
  try {
    const body = JSON.parse(text) as { message?: unknown; error?: unknown }
    if (typeof body.message === 'string') message = body.message
    if (typeof body.error === 'string') code = body.error
  } catch {
    // A proxy's page: its status must do.
  }
  return new Problem(kind, message || `The service answered with status ${response.status}.`, code)
}

/** What a request that brought no answer, or an answer that stopped, means. */
export function toProblem(error: unknown, signal?: AbortSignal): Problem {
  if (error instanceof Problem) return error
  if (signal?.aborted) return new Problem('cancelled', 'The query was cancelled.')
  return new Problem(
    'away',
    'The service cannot be reached. It may be starting anew, or the network is down.',
  )
}
