import { parseJson } from '../http/parseJson.js'
import { readBody } from '../http/readBody.js'
import { Refusal } from '../http/Refusal.js'
import type { Route } from '../http/Route.js'
import { checkHeaders } from './checkHeaders.js'
import type { EntryKind } from './payloads.js'
import { readApiKey } from './readApiKey.js'
import { createPayloadReader } from './readPayloads.js'
import { readSync } from './readSync.js'
import { refuseIngest } from './refuseIngest.js'
import type { Ledger } from './createLedger.js'

export interface IngestRouteOptions {
  kind: EntryKind
  environments: ReadonlySet<string>
  maxBodyBytes: number
  holdsKey(key: string): boolean
  ledger: Ledger
}

const unauthorized = (key: string | undefined) =>
  refuseIngest(
    401,
    'unauthorized',
    key === undefined
      ? 'Authentication required: send the API key as X-API-Key, as Authorization: Bearer, or as ?apiKey=.'
      : 'The API key is wrong.',
  )

/** The same refusal in the form that the analytics operations answer in. */
const inIngestForm = (refusal: Refusal): Refusal =>
  'ok' in refusal.body
    ? refusal
    : refuseIngest(refusal.status, String(refusal.body['error']), refusal.message, refusal.headers)

/** `/track`, `/identify` and `/alias`. */
export const createIngestRoute = (options: IngestRouteOptions): Route => {
  const { kind, environments, maxBodyBytes, holdsKey, ledger } = options
  const readPayloads = createPayloadReader(kind, environments)

  return {
    method: 'POST',
    path: `/${kind}`,
    describeFailure: (message) => ({
      ok: false,
      task_id: null,
      error_code: null,
      error: 'internal',
      message,
    }),
    async handle({ request, search }) {
      const key = readApiKey(request.headers, search)
      if (key === undefined || !holdsKey(key)) throw unauthorized(key)
      checkHeaders(request.headers)
      try {
        const sync = readSync(search)
        ledger.admit()
        const { count, body } = readPayloads(parseJson(await readBody(request, maxBodyBytes)))
        if (count === 0) return { status: 200, body: { ok: true, task_id: null, error_code: null } }
        const record = { kind, count, receivedAtMs: Date.now(), body }
        const { taskId, rejection } = await ledger.accept(record, sync)
        if (rejection !== undefined)
          throw refuseIngest(500, 'not-stored', `This could not be stored: ${rejection}`)
        return { status: 200, body: { ok: true, task_id: taskId, error_code: null } }
      } catch (error) {
        throw error instanceof Refusal ? inIngestForm(error) : error
      }
    },
  }
}
