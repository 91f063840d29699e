import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Ask } from '../answers/Answer.js'
import { readAsk } from '../answers/answers.js'
import { HttpError, refuse } from '../http/HttpError.js'
import { shapeChecker } from '../http/readJson.js'

/** Entries of the log that say what alerts have found, and what became of their messages. */
export const alertKind = 'alert'

/** One number of an answer, or in a digest also its first rows. */
export interface Figure {
  ask: Ask
  column?: string
  /** The row of the answer, where there may be several: the one that has this value in this column. */
  row?: { column: string; is: string }
  /** The question in words. */
  label?: string
}

export const formats = ['json', 'slack', 'discord', 'teams'] as const
export type Format = (typeof formats)[number]

export type Receiver = { webhook: string; format: Format } | { mail: string }

/** What is watched, when somebody is told, and who. */
export interface Alert {
  figures: readonly Figure[]
  over: 'hour' | 'day' | 'week' | 'minutes'
  minutes?: number
  timezone?: string
  when: 'below' | 'above' | 'changed' | 'nothing' | 'digest'
  than?: number
  /** A text is the name of an alert whose receivers it takes: their addresses are told to nobody. */
  to: readonly Receiver[] | string
  /** The page that a message links to, and the parameters of its address. */
  page?: string
  search?: string
  paused?: boolean
}

const most = { name: 120, label: 300, figures: 10, receivers: 10 }
const line = (maxLength: number) => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: String.raw`^[^\p{Cc}\p{Cs}]*$`,
})
const object = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
})

const checkShape = shapeChecker(
  object(['figures', 'over', 'when', 'to'], {
    figures: {
      type: 'array',
      minItems: 1,
      maxItems: most.figures,
      items: object(['ask'], {
        ask: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        column: line(most.name),
        row: object(['column', 'is'], { column: line(most.name), is: { type: 'string', maxLength: 500 } }),
        label: line(most.label),
      }),
    },
    over: { type: 'string', enum: ['hour', 'day', 'week', 'minutes'] },
    minutes: { type: 'integer', minimum: 5, maximum: 10_080 },
    timezone: { type: 'string', maxLength: 100 },
    when: { type: 'string', enum: ['below', 'above', 'changed', 'nothing', 'digest'] },
    than: { type: 'number' },
    to: {},
    page: { type: 'string', maxLength: 1000 },
    search: line(8000),
    paused: { type: 'boolean' },
  }),
)

const checkName = shapeChecker({ type: 'object', properties: { to: line(most.name) } })
const checkReceivers = shapeChecker({
  type: 'object',
  properties: {
    to: {
      type: 'array',
      minItems: 1,
      maxItems: most.receivers,
      items: {
        type: 'object',
        properties: {
          webhook: { type: 'string', maxLength: 2000 },
          format: { type: 'string', enum: formats },
          mail: {
            type: 'string',
            maxLength: 254,
            pattern: String.raw`^[^\s@<>()",;:\\]+@[^\s@<>()",;:\\]+$`,
          },
        },
        additionalProperties: false,
      },
    },
  },
})

const wrong = (message: string) => refuse(400, 'invalid-body', message)

/** The alert itself says which time it is about. */
const decided = ['from', 'until', 'before', 'timezone']

const checkFigure = ({ ask, column, row }: Figure, { when, timezone }: Alert, at: string) => {
  const own = decided.find((name) => Object.hasOwn(ask, name))
  if (own !== undefined) throw wrong(`${at}/ask must not have ${own}: the alert says which time it is about.`)
  try {
    const { answer } = readAsk(ask, timezone)
    if (!Object.hasOwn(answer.parameters, 'from')) throw wrong(`${answer.name} is not about a time.`)
  } catch (error) {
    if (error instanceof HttpError) throw wrong(`${at}/ask: ${error.message}`)
    throw error
  }
  if (column === undefined && (when !== 'digest' || row !== undefined))
    throw wrong(`${at}/column must name the column of the figure.`)
}

const addressOf = (webhook: string): URL | undefined => {
  try {
    const address = new URL(webhook)
    const isUsable = /^https?:$/.test(address.protocol) && address.username === '' && address.password === ''
    return isUsable ? address : undefined
  } catch {
    return undefined
  }
}

const checkReceiver = (given: Partial<{ webhook: string; format: Format; mail: string }>, at: string) => {
  const { webhook, format, mail } = given
  if ((webhook === undefined) === (mail === undefined)) throw wrong(`${at} must have webhook or mail.`)
  if ((webhook === undefined) !== (format === undefined))
    throw wrong(`${at}/format must be there for a webhook, and only there.`)
  if (webhook !== undefined && addressOf(webhook) === undefined)
    throw wrong(
      `${at}/webhook must be an address such as https://example.com/hook, without user or password.`,
    )
}

const isZone = (timeZone: string) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }))
  } catch {
    return false
  }
}

/** @throws HttpError one sentence that names the field that is wrong */
export const readAlert = (value: unknown): Alert => {
  checkShape(value)
  const alert = value as Alert
  if (typeof alert.to === 'string') checkName(alert)
  else checkReceivers(alert)
  const { figures, over, minutes, timezone = 'UTC', when, than, to, page } = alert
  if ((over === 'minutes') !== (minutes !== undefined))
    throw wrong('minutes must be there where over is minutes, and only there.')
  if (!isZone(timezone)) throw wrong(`timezone: there is no time zone ${JSON.stringify(timezone)}.`)
  const isCompared = when !== 'nothing' && when !== 'digest'
  if (isCompared !== (than !== undefined))
    throw wrong('than must be there for below, above and changed, and only there.')
  if (when === 'changed' && than! <= 0) throw wrong('than must be a number of percent above 0.')
  if (when === 'nothing' && over !== 'minutes') throw wrong('over must be minutes where when is nothing.')
  if (when === 'digest' && over !== 'day' && over !== 'week')
    throw wrong('over must be day or week where when is digest.')
  if (when !== 'digest' && figures.length > 1)
    throw wrong('figures must have one figure; a digest has several.')
  for (const [at, figure] of figures.entries()) checkFigure(figure, alert, `figures/${at}`)
  if (typeof to !== 'string') for (const [at, each] of to.entries()) checkReceiver(each, `to/${at}`)
  if (page !== undefined && addressOf(page) === undefined)
    throw wrong('page must be an address of the screens.')
  return alert
}

/** A receiver as it is kept: SQL reads every table, and whoever knows the address of a webhook can write there. */
export interface SealedReceiver {
  /** What everybody may know: of a webhook its host. */
  shown: { webhook: string; format: Format } | { mail: string }
  sealed: string
}

/** The first kind of what is sealed: AES-256-GCM; 12 bytes of a nonce, 16 of the tag, then the receiver as JSON. */
const cipher = 'aes-256-gcm'
const [nonceBytes, tagBytes] = [12, 16]
const keyOf = (secret: Buffer) => createHmac('sha256', secret).update('receivers of alerts').digest()

export const seal = (receiver: Receiver, secret: Buffer): SealedReceiver => {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, keyOf(secret), nonce)
  const body = Buffer.concat([sealing.update(JSON.stringify(receiver)), sealing.final()])
  const sealed = Buffer.concat([nonce, sealing.getAuthTag(), body]).toString('base64')
  const shown = 'mail' in receiver ? receiver : { ...receiver, webhook: new URL(receiver.webhook).host }
  return { shown, sealed }
}

/** @throws Error where it was sealed with another secret */
export const unseal = ({ sealed }: SealedReceiver, secret: Buffer): Receiver => {
  const bytes = Buffer.from(sealed, 'base64')
  const opening = createDecipheriv(cipher, keyOf(secret), bytes.subarray(0, nonceBytes))
  opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  try {
    const text = Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()])
    return JSON.parse(text.toString()) as Receiver
  } catch {
    throw new Error('The receiver was saved with another secret of the service: enter it again.')
  }
}

/** The question in words. */
export const questionOf = ({ label, ask, column, row }: Figure): string =>
  label ??
  [column, 'of', ask.name, ...(row === undefined ? [] : [`where ${row.column} is ${row.is}`])]
    .filter((word) => word !== undefined)
    .join(' ')
