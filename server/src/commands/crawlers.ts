import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { judgeUserAgent } from '../analytics/userAgents.js'
import { OperatorError, reasonOf } from '../OperatorError.js'
import { type Command, readWords } from './Command.js'
import { bring, historyOf, serviceFlags } from './import.js'

const help = `waymark-server crawlers LOG [flags]

Brings which pages crawlers and AI agents have read, by the access log of a proxy, into a running service.
LOG is in nginx's combined format, which Apache writes, too, or Caddy's JSON; perhaps gzipped. - is standard input.
What was brought before is stored once, so a log that grows is read again as a whole. Only time, address without
query and user agent of crawlers' requests are sent. Take it back by waymark-server import undo.

  --dry-run            only says what would be stored
  --url URL            the service               WAYMARK_URL          http://127.0.0.1:8787
  --user NAME:PASSWORD a user who may write      WAYMARK_IMPORT_USER  the first of WAYMARK_USERS
  --environment NAME   where the events go                            production
  --site HOST          the host, for a log that does not say it       site.invalid
`

/** What a line says of a request. */
interface Logged {
  atMs: number
  method: string
  /** A path or, where the log says the host, an address. */
  url: string
  status: number
  userAgent: string
  /** Undefined where the log does not say it. */
  type: string | undefined
}

const quoted = String.raw`"((?:[^"\\]|\\.)*)"`
/** `[27/Nov/2026:23:51:02 +0000] "GET /maps HTTP/2.0" 200 512 "-" "Mozilla/5.0 (compatible; GPTBot/1.2)"` */
const combined = new RegExp(
  String.raw`\[(\d\d)/(\w{3})/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\] ${quoted} (\d{3}) \S+ ${quoted} ${quoted}`,
)

const readCombined = (line: string): Logged | undefined => {
  const found = combined.exec(line)
  if (found === null) return undefined
  const [day, month, year, time, hours, minutes, request, status, , userAgent] = found.slice(1)
  const [method = '', url = ''] = request!.split(' ')
  return {
    atMs: Date.parse(`${day} ${month} ${year} ${time} GMT${hours}${minutes}`),
    method,
    url,
    status: Number(status),
    // What is no letter of ASCII, and quotes, are written so by nginx.
    userAgent: userAgent!.replaceAll(/\\x([\dA-F]{2})/gi, (_, code: string) =>
      String.fromCharCode(parseInt(code, 16)),
    ),
    type: undefined,
  }
}

interface CaddyLine {
  ts?: number | string
  status?: number
  request?: { method?: string; host?: string; uri?: string; tls?: object; headers?: Record<string, string[]> }
  resp_headers?: Record<string, string[]>
}

const readCaddy = (line: string): Logged | undefined => {
  let said: CaddyLine
  try {
    said = JSON.parse(line) as CaddyLine
  } catch {
    return undefined
  }
  const { ts, status = 0, request, resp_headers: answered } = said
  const { method, host, uri, tls, headers } = request ?? {}
  if (method === undefined || host === undefined || uri === undefined) return undefined
  return {
    atMs: typeof ts === 'number' ? ts * 1000 : Date.parse(ts ?? ''),
    method,
    url: uri.startsWith('/') ? `${tls === undefined ? 'http' : 'https'}://${host}${uri}` : uri,
    status,
    userAgent: headers?.['User-Agent']?.[0] ?? '',
    type: answered?.['Content-Type']?.[0],
  }
}

const readLine = (line: string): Logged | undefined => {
  const logged = line.startsWith('{') ? readCaddy(line) : readCombined(line)
  return logged === undefined || Number.isNaN(logged.atMs) ? undefined : logged
}

const noPage =
  /\.(?:avif|bmp|css|csv|eot|gif|gz|ico|jpe?g|js|json|map|mjs|mp[34]|otf|pdf|png|rss|svg|ttf|txt|wasm|webm|webp|woff2?|xml|zip)$/i

const isPage = ({ method, url, status, type }: Logged): boolean =>
  method === 'GET' &&
  ((status >= 200 && status < 300) || status === 304) &&
  /^(?:\/|https?:)/.test(url) &&
  (type === undefined ? !noPage.test(url) : /html|markdown/i.test(type))

/** A line is at most as long; what is behind that is left out. */
const maxLength = 65_536

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!.slice(0, maxLength)
    yield* lines
  }
  if (rest !== '') yield rest
}

/** What a stream holds, unpacked if it is gzipped. */
async function* unpacked(stream: Readable): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const { value: first, done } = await chunks.next()
  if (done === true) return
  async function* all() {
    yield first!
    for (;;) {
      const { value, done: isEnd } = await chunks.next()
      if (isEnd === true) return
      yield value
    }
  }
  if (first[0] !== 0x1f || first[1] !== 0x8b) return yield* all()
  const packed = Readable.from(all())
  const gunzip = createGunzip()
  packed.on('error', (error) => gunzip.destroy(error))
  yield* packed.pipe(gunzip) as AsyncIterable<Buffer>
}

interface Counts {
  lines: number
  taken: number
  /** Lines of another format, and the number of the first. */
  strange: number
  firstStrange: number
}

/** Writes what crawlers have read into a file, one page view a line. */
const collect = async (log: Readable, file: string): Promise<Counts> => {
  const counts = { lines: 0, taken: 0, strange: 0, firstStrange: 0 }
  const out = createWriteStream(file)
  // An error is thrown where the file is waited for.
  const written = finished(out)
  written.catch(() => undefined)
  let number = 0
  for await (const line of linesOf(unpacked(log))) {
    number++
    const text = line.trim()
    if (text === '') continue
    counts.lines++
    const logged = readLine(text)
    if (logged === undefined) {
      if (counts.strange++ === 0) counts.firstStrange = number
      continue
    }
    const url = logged.url.split(/[?#]/, 1)[0]!
    const verdict = isPage({ ...logged, url }) ? judgeUserAgent(logged.userAgent) : undefined
    if (verdict === undefined || !/^(?:AI )?crawler/.test(verdict)) continue
    counts.taken++
    const crawler = verdict.replace('AI ', '').toLowerCase()
    const row = { time: Math.round(logged.atMs), url, user_agent: logged.userAgent, crawler }
    if (!out.write(`${JSON.stringify(row)}\n`)) await Promise.race([once(out, 'drain'), written])
  }
  out.end()
  await written
  return counts
}

export const crawlers: Command = {
  name: 'crawlers',
  help,
  async run({ argv, env, print }) {
    const { values, others } = readWords(argv, serviceFlags, ['The log'])
    const [name] = others as [string]
    const ask = historyOf(values, env)
    const folder = mkdtempSync(join(tmpdir(), 'waymark-crawlers-'))
    try {
      const file = join(folder, 'crawlers.ndjson')
      const log = name === '-' ? process.stdin : createReadStream(name)
      const { lines, taken, strange, firstStrange } = await collect(log, file).catch((error: unknown) => {
        throw new OperatorError(`${name} cannot be read: ${reasonOf(error)}.`)
      })
      const odd =
        strange === 0
          ? ''
          : `${strange} of ${lines} lines are neither in the combined format nor a request in Caddy's JSON; the first is line ${firstStrange}`
      if (strange > 0 && strange === lines) throw new OperatorError(`${odd}. Nothing is stored.`)
      if (odd !== '') print(`  left out: ${odd}`)
      print(`${taken} of ${lines} lines are pages that crawlers read.`)
      if (taken === 0) return 0
      const { environment, site } = values
      const given = { source: 'crawlers', name: 'crawlers.ndjson', environment, site }
      await bring(ask, { file, given, isDry: values['dry-run'] === true }, print)
      return 0
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}
