import { OperatorError } from '../OperatorError.js'

/** Programs whose SDKs may send here, each at the path of its name. */
export const senderNames = [
  'segment',
  'posthog',
  'mixpanel',
  'amplitude',
  'plausible',
  'umami',
  'ga4',
  'snowplow',
  'otlp',
] as const
export type SenderName = (typeof senderNames)[number]

export interface SenderChoice {
  on: readonly SenderName[]
  /** The API keys of what SDKs give in place of one, such as a domain. */
  keys: ReadonlyMap<string, string>
}

const isName = (text: string): text is SenderName => (senderNames as readonly string[]).includes(text)

/** Reads `segment,posthog,shop.example=pk_web`; without a name all are on, with `none` none. */
export const readSenders = (parts: readonly string[], flag: string): SenderChoice => {
  const names = parts.filter((each) => !each.includes('='))
  const strange = names.find((each) => !isName(each) && each !== 'none')
  if (strange !== undefined)
    throw new OperatorError(`${flag} must name some of ${senderNames.join(', ')}, or none, not ${strange}.`)
  const pairs = parts.flatMap((each) => {
    const cut = each.indexOf('=')
    return cut < 0 ? [] : [[each.slice(0, cut), each.slice(cut + 1)] as const]
  })
  if (pairs.some(([given, key]) => given === '' || key === ''))
    throw new OperatorError(
      `${flag} takes what an SDK gives for its key as GIVEN=KEY, such as shop.example=pk_web.`,
    )
  return { on: names.length === 0 ? senderNames : names.filter(isName), keys: new Map(pairs) }
}
