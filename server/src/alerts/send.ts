import { createHmac } from 'node:crypto'
import { promises as dns } from 'node:dns'
import { type ClientRequest, request as askHttp } from 'node:http'
import { request as askHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { shorten } from '../http/HttpError.js'
import { reasonOf } from '../OperatorError.js'
import { version } from '../version.js'
import type { Format, Receiver } from './alert.js'
import type { Message } from './alertsSchema.js'

/** A webhook has this long for all of a message; a server for mail has it for each step, and three times as long in all. */
const withinMs = 10_000
const withinOf = (receiver: Receiver): number => ('mail' in receiver ? 3 : 1) * withinMs
/** More of an answer is not read. */
const maxAnswerBytes = 4096

const notPublic = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  notPublic.addSubnet(network, bits)
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  // It holds an IPv4 address, which may be any.
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic.addSubnet(network, bits, 'ipv6')
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')

/** Whether an address is one of the open internet, as IANA's registries of special addresses say. */
export const isPublic = (address: string): boolean => {
  if (isIP(address) === 4) return !notPublic.check(address)
  return global.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
}

const refused = (host: string) =>
  new Error(`${host} has an address that is not public. The operator names such hosts by --webhook-hosts.`)

// A resolver of its own: the system's keeps a thread for as long as a server of names is silent, and DuckDB needs them.
const resolver = new dns.Resolver({ timeout: 2000, tries: 2 })

const publicAddressesOf = async (host: string) => {
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const all = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  if (all.length === 0) throw new Error(`The host ${host} was not found.`)
  if (!all.every(isPublic)) throw refused(host)
  return all.map((address) => ({ address, family: isIP(address) }))
}

/** Gives the addresses that were checked to the connection itself, so that no second answer of a server of names counts. */
const lookUp: LookupFunction = (host, { all }, callback) => {
  publicAddressesOf(host).then(
    (found) => (all === true ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
    (error: Error) => callback(error, ''),
  )
}

/** The word in `--webhook-hosts` for every host with public addresses. */
const anyPublic = 'public'

/** Throws where a host may not be called; gives how its addresses are looked up. */
const checkHost = (url: URL, hosts: readonly string[]): LookupFunction | undefined => {
  const name = url.hostname.replace(/^\[|\]$/g, '')
  if (hosts.some((each) => each === url.hostname || each === name || each === url.host)) return undefined
  if (!hosts.includes(anyPublic)) throw new Error(`${url.host} is not among --webhook-hosts.`)
  if (isIP(name) !== 0 && !isPublic(name)) throw refused(url.host)
  return lookUp
}

/** The bytes with which messages are signed, of a secret as it is written. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)

/** Signs a body as the Standard Webhooks say. */
export const sign = (
  secret: string,
  { id, seconds, body }: { id: string; seconds: number; body: string },
): string => `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.${body}`).digest('base64')}`

const escapeSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
/** The longest text that Discord takes. */
const maxDiscord = 2000

const bodies: Readonly<Record<Format, (message: Message) => object>> = {
  json: (message) => ({ ...message, search: undefined }),
  slack: ({ text }) => ({ text: escapeSlack(text) }),
  discord: ({ text }) => ({ content: shorten(text, maxDiscord - 1), allowed_mentions: { parse: [] } }),
  teams: ({ text }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          type: 'AdaptiveCard',
          version: '1.4',
          body: text.split('\n').map((line) => ({ type: 'TextBlock', text: line, wrap: true })),
        },
      },
    ],
  }),
}

export interface SendOptions {
  webhookHosts: readonly string[]
  /** Signs webhooks. */
  signingSecret: string
  smtp: string
  mailFrom: string
}

/** The first bytes of an answer, on one line. */
const readAnswer = (asking: ClientRequest): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    asking.once('error', reject)
    asking.once('response', (answer) => {
      const status = answer.statusCode ?? 0
      const parts: Buffer[] = []
      let bytes = 0
      const end = () => {
        const text = Buffer.concat(parts).toString('utf8', 0, maxAnswerBytes)
        resolve({ status, text: text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim() })
        asking.destroy()
      }
      // What it says beside a good status changes nothing.
      if (status >= 200 && status < 300) return end()
      answer.on('data', (part: Buffer) => {
        parts.push(part)
        bytes += part.length
        if (bytes >= maxAnswerBytes) end()
      })
      answer.once('end', end)
      answer.once('error', end)
    })
  })

const sendWebhook = async (
  { webhook, format }: Extract<Receiver, { webhook: string }>,
  message: Message,
  { webhookHosts, signingSecret }: SendOptions,
  signal: AbortSignal,
): Promise<void> => {
  const url = new URL(webhook)
  const lookup = checkHost(url, webhookHosts)
  const body = JSON.stringify(bodies[format](message))
  const seconds = Math.floor(Date.now() / 1000)
  const signature = sign(signingSecret, { id: message.id, seconds, body })
  const ask = url.protocol === 'https:' ? askHttps : askHttp
  const asking = ask(url, {
    method: 'POST',
    agent: false,
    signal,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': `waymark-server/${version}`,
      'webhook-id': message.id,
      'webhook-timestamp': seconds,
      'webhook-signature': signature,
    },
    ...(lookup && { lookup }),
  })
  asking.end(body)
  const { status, text } = await readAnswer(asking)
  if (status >= 200 && status < 300) return
  const why =
    status >= 300 && status < 400 ? ', and redirects are not followed' : text && `: ${shorten(text, 200)}`
  throw new Error(`It answered ${status}${why}.`)
}

const sendMail = async (
  to: string,
  message: Message,
  { smtp, mailFrom }: SendOptions,
  signal: AbortSignal,
): Promise<void> => {
  if (smtp === '') throw new Error('E-mail needs --smtp.')
  // Few services send mail, and none pays for it at its start.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url: smtp,
    connectionTimeout: withinMs,
    greetingTimeout: withinMs,
    socketTimeout: withinMs,
    dnsTimeout: withinMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const [subject] = message.text.split('\n', 1)
  await transport.sendMail({
    from: mailFrom || 'waymark@localhost',
    to,
    subject,
    text: message.text,
    messageId: `<${message.id}@waymark>`,
    // Its own limits are of silence: a server that says a little now and then has no end.
    signal,
  })
}

/** Sends a message, and gives why it was not taken; null where it was. */
export const send = async (
  receiver: Receiver,
  message: Message,
  options: SendOptions,
  gone: AbortSignal,
): Promise<string | null> => {
  // Node may collect a signal that is made of others, with its timer, while only the request waits for it.
  const ended = new AbortController()
  const end = () => ended.abort()
  const timer = setTimeout(end, withinOf(receiver))
  gone.addEventListener('abort', end)
  try {
    await ('mail' in receiver
      ? sendMail(receiver.mail, message, options, ended.signal)
      : sendWebhook(receiver, message, options, ended.signal))
    return null
  } catch (error) {
    if (ended.signal.aborted) return `It took more than ${withinOf(receiver) / 1000} seconds.`
    return shorten(reasonOf(error), 400)
  } finally {
    clearTimeout(timer)
    gone.removeEventListener('abort', end)
  }
}
