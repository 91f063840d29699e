import { Logger } from '../../src/Logger.js'
import { LogAppender } from '../../src/cluster/log/LogAppender.js'
import { addressesOf } from '../../src/options/values.js'
import { event } from '../fixtures/events.js'
import type { Body } from '../fixtures/createService.js'

export const firstDay = Date.UTC(2026, 0, 5)
const dayMs = 86_400_000

/** Puts events into the log as if they had been accepted long ago, so that they are old enough for the archive. */
export const fillLog = async (url: string) => {
  const appender = new LogAppender({
    addresses: addressesOf(url),
    durability: 'local',
    logger: new Logger('silent'),
  })
  await appender.start()
  let sent = 0
  const putText = (at: number, count: number, body: string) =>
    appender.append({ kind: 'track', count, receivedAtMs: at, body: Buffer.from(body) })
  const put = (at: number, events: Body[]) => putText(at, events.length, JSON.stringify(events))
  return {
    put,
    /** Events that no route would accept. */
    putText,
    /** Numbered events of a day; each visitor has every tenth of them, and a session of its own on each day. */
    async numbered(day: number, count: number) {
      const at = firstDay + day * dayMs
      const events = Array.from({ length: count }, (_, k) => {
        const n = sent + k
        return event('numbered', {
          timestamp: at + k * 1000,
          distinct_id: `u_${n % 10}`,
          session_id: `s-${day}-${n % 10}`,
          properties: { n, insert_id: `id-${n}` },
        })
      })
      sent += count
      return await put(at + 3_600_000, events)
    },
    get sent() {
      return sent
    },
    stop: () => appender.stop(),
  }
}

export type LogFiller = Awaited<ReturnType<typeof fillLog>>
