import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Format } from '../../src/alerts/alert.js'
import type { Message } from '../../src/alerts/alertsSchema.js'
import { isPublic, send, sign } from '../../src/alerts/send.js'
import { startReceiver } from './startReceiver.js'

const message: Message = {
  ...{ id: 'm1', kind: 'fired', alert: 'Low', question: 'Orders', value: 1, expected: 'at least 2' },
  ...{ since: '', from: '', until: '', timezone: 'UTC', link: null, search: null, made_at: '' },
  text: 'Alert: Low\nOrders: 1 <!channel> & @everyone',
}
const options = {
  webhookHosts: ['public'],
  signingSecret: 'a secret',
  smtp: '',
  mailFrom: 'waymark@stats.example',
}
const forEver = new AbortController().signal

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

describe('an address', () => {
  it.each(
    (
      '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.168.1.1 ' +
      '198.18.0.1 224.0.0.1 255.255.255.255 :: ::1 ::ffff:8.8.8.8 64:ff9b::a00:1 fc00::1 fd12::1 fe80::1 ff02::1 ' +
      '2001::1 2001:db8::1 2002:7f00:1::'
    ).split(' '),
  )('%s is not public', (address) => expect(isPublic(address)).toBe(false))
  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    (address) => expect(isPublic(address)).toBe(true),
  )
})

it('signs as the Standard Webhooks’ own example', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const about = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', seconds: 1_614_265_330, body: '{"test": 2432232314}' }
  expect(sign(secret, about)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

describe('a webhook', () => {
  const sendAs = async (format: Format) => {
    const receiver = await startReceiver()
    stops.push(() => receiver.close())
    const to = { webhook: receiver.url, format }
    expect(await send(to, message, { ...options, webhookHosts: [receiver.host] }, forEver)).toBeNull()
    return JSON.parse(receiver.received[0]?.body ?? '') as unknown
  }

  it('of Slack has its text, in which nobody is called', async () =>
    expect(await sendAs('slack')).toEqual({ text: 'Alert: Low\nOrders: 1 &lt;!channel&gt; &amp; @everyone' }))
  it('of Discord has its text, in which nobody is called', async () =>
    expect(await sendAs('discord')).toEqual({ content: message.text, allowed_mentions: { parse: [] } }))
  it('of Teams is a card', async () =>
    expect(await sendAs('teams')).toMatchObject({
      type: 'message',
      attachments: [
        { content: { type: 'AdaptiveCard', body: [{ text: 'Alert: Low' }, { type: 'TextBlock' }] } },
      ],
    }))

  it('goes to hosts that the operator has named alone, where public hosts are not among them', async () => {
    const to = (webhook: string) => ({ webhook, format: 'json' }) as const
    const only = { ...options, webhookHosts: ['hooks.example:8443'] }
    expect(await send(to('https://other.example/'), message, only, forEver)).toBe(
      'other.example is not among --webhook-hosts.',
    )
    expect(await send(to('https://hooks.example/'), message, only, forEver)).toContain('not among')
  })

  it('does not go to a public name with an address that is not public', async () => {
    // The servers of names of a machine without a network do not know it either; nothing is sent in any case.
    const error = await send({ webhook: 'http://localhost.:9/', format: 'json' }, message, options, forEver)
    expect(error).toMatch(/not public|not found/)
  })

  it('reads little of an answer that does not end', async () => {
    const receiver = await startReceiver()
    stops.push(() => receiver.close())
    receiver.answer = (response) => {
      response.writeHead(500)
      const more = () => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', more)
      }
      more()
    }
    const to = { webhook: receiver.url, format: 'json' } as const
    const error = await send(to, message, { ...options, webhookHosts: [receiver.host] }, forEver)
    expect(error).toMatch(/^It answered 500: x{100,200}…\.$/)
  })
})

describe('e-mail', () => {
  /** The least that a server for mail says; it takes one message. */
  const startMailServer = async (answerData = '250 taken') => {
    const taken: string[] = []
    const server: Server = createServer((socket) => {
      let data: string | undefined
      socket.on('error', () => undefined)
      socket.write('220 here\r\n')
      socket.on('data', (part) => {
        const text = part.toString()
        if (data !== undefined) {
          data += text
          if (data.endsWith('\r\n.\r\n')) {
            taken.push(data)
            data = undefined
            socket.write(`${answerData}\r\n`)
          }
        } else if (text.startsWith('DATA')) {
          data = ''
          socket.write('354 go on\r\n')
        } else if (text.startsWith('QUIT')) socket.end('221 bye\r\n')
        else socket.write('250 ok\r\n')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    stops.push(() => server.close())
    return { taken, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }

  it('is a text with a subject', async () => {
    const { taken, url } = await startMailServer()
    expect(await send({ mail: 'ada@shop.example' }, message, { ...options, smtp: url }, forEver)).toBeNull()
    expect(taken).toHaveLength(1)
    expect(taken[0]).toContain(
      'From: waymark@stats.example\r\nTo: ada@shop.example\r\nSubject: Alert: Low\r\n',
    )
    expect(taken[0]).toContain('Message-ID: <m1@waymark>')
    expect(taken[0]).toContain('Orders: 1 <!channel> & @everyone')
  })

  it('to a server that always says a little more ends when the service stops', async () => {
    const server = createServer((socket) => {
      socket.write('220 here\r\n')
      const more = setInterval(() => socket.write('250-more\r\n'), 5)
      socket.on('error', () => undefined)
      socket.once('close', () => clearInterval(more))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    stops.push(() => server.close())
    const smtp = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
    const gone = new AbortController()
    const sent = send({ mail: 'ada@shop.example' }, message, { ...options, smtp }, gone.signal)
    const [socket] = (await once(server, 'connection')) as [Socket]
    await once(socket, 'data')
    const closed = once(socket, 'close')
    gone.abort()
    expect(await sent).toBe('It took more than 30 seconds.')
    await closed
  })

  it('that is refused is not sent, and says why without the password', async () => {
    const { url } = await startMailServer('554 too much of it')
    const smtp = url.replace('smtp://', 'smtp://ada:lovelace@')
    const error = await send({ mail: 'ada@shop.example' }, message, { ...options, smtp }, forEver)
    expect(error).not.toBeNull()
    expect(error).not.toContain('lovelace')
    expect(await send({ mail: 'a@b.example' }, message, { ...options, smtp: url }, forEver)).toContain(
      '554 too much',
    )
    expect(await send({ mail: 'a@b.example' }, message, options, forEver)).toBe('E-mail needs --smtp.')
  })
})
