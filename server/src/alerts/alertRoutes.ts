import { createHmac } from 'node:crypto'
import { ConcurrencyLimit } from '../duckdb/ConcurrencyLimit.js'
import { bodyReader } from '../http/readJson.js'
import { alertTestPath, type Route } from '../http/Route.js'
import { queryEnded } from '../sql/Cancellation.js'
import { refuseField } from '../sql/refuse.js'
import { readIdentity, readOnlyUser } from '../users/Identity.js'
import type { Logger } from '../Logger.js'
import { reasonOf } from '../OperatorError.js'
import type { OpenedLog } from '../wal/AcceptLog.js'
import type { Intake } from '../wal/Intake.js'
import { alertKind, readAlert, type Receiver } from './alert.js'
import type { Alerts } from './Alerts.js'
import type { AlertNews } from './alertsSchema.js'

/** The link to the engine, as far as alerts use it. */
interface Link {
  on(event: 'clockWanted', listen: (atMs: number) => void): unknown
  on(event: 'alertNews', listen: (news: readonly AlertNews[]) => void): unknown
  tell(clock: { kind: 'clock'; atMs: number; through: number }): void
}

/** The secret that signs webhooks where the operator names none: made of the service's own, so that all processes have it. */
export const signingSecretOf = (serviceSecret: Buffer): string =>
  `whsec_${createHmac('sha256', serviceSecret).update('webhooks').digest('base64')}`

/** In the ingest process: tells the engine the newest row at a moment, and puts what its alerts have found into the log. */
export const serveAlerts = ({
  link,
  intake,
  newest,
  logger,
}: {
  link: Link
  intake: Intake
  newest: OpenedLog['newest']
  logger: Logger
}): void => {
  // The engine asks again, and says again what it does not find in the log.
  link.on('clockWanted', (atMs) => {
    newest().then(
      (through) => link.tell({ kind: 'clock', atMs, through }),
      () => undefined,
    )
  })
  link.on('alertNews', (news) => {
    const body = Buffer.from(JSON.stringify(news))
    const record = { kind: alertKind, count: news.length, receivedAtMs: Date.now(), body }
    intake.accept(record, false).catch((error: unknown) => {
      logger.warn('What an alert has found was not taken, and is said again.', { reason: reasonOf(error) })
    })
  })
}

const readBody = bodyReader<{ name: string; value: object }>(
  {
    type: 'object',
    required: ['name', 'value'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 120, pattern: String.raw`^[^\p{Cc}\p{Cs}]*$` },
      value: { type: 'object' },
    },
    additionalProperties: false,
  },
  65_536,
)

const hostOf = (receiver: Receiver) => ('mail' in receiver ? receiver.mail : new URL(receiver.webhook).host)

/** Tests wait for what the receivers answer, and for their query. */
const [testsAtOnce, mostWaiting] = [2, 10]

/**
 * `POST /alerts/test` in the engine: judges an alert as it would be saved, at this moment, and sends its receivers a message
 * that says that it is a test. Nothing is kept.
 */
export const alertTestRoute = (alerts: Alerts, signingSecret: string): Route => {
  const limit = new ConcurrencyLimit({ permits: testsAtOnce, maxWaiting: mostWaiting })
  return {
    method: 'POST',
    path: alertTestPath,
    async handle({ request, response }) {
      const { user, role } = readIdentity(request)
      if (role === 'read') throw readOnlyUser()
      const { name, value } = await readBody(request)
      const alert = readAlert(value)
      const receivers = typeof alert.to === 'string' ? await alerts.receiversOf(alert.to) : alert.to
      if (receivers.length === 0) throw refuseField('to must name an alert that has receivers.')
      const left = new AbortController()
      response.once('close', () => left.abort(queryEnded('gone')))
      const permit = await limit.acquire({ user, signal: left.signal })
      try {
        const { message, isBad, errors } = await alerts.test({ name, alert, receivers })
        const { value: found, expected, text } = message
        const sent = receivers.map((receiver, at) => ({ receiver: hostOf(receiver), error: errors[at] }))
        const result = { value: found, expected, would_fire: isBad, text, sent }
        return { status: 200, body: { ...result, signing_secret: signingSecret } }
      } finally {
        permit.release()
      }
    },
  }
}
