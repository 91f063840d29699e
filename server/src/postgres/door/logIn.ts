import type { Socket } from 'node:net'
import { randomBytes, timingSafeEqual, createHash, X509Certificate } from 'node:crypto'
import { networkOf } from '../../http/behindProxy.js'
import { HttpError } from '../../http/HttpError.js'
import type { Identity } from '../../users/Identity.js'
import type { PasswordCheck } from '../../users/PasswordCheck.js'
import { BodyReader } from '../messages/MessageStream.js'
import { askSasl, saslContinue, saslFinal } from '../messages/messages.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import { readMessage } from './readMessage.js'
import { hmac, type PasswordHash, sha256 } from '../../users/passwordHash.js'

/** The algorithms of a certificate's signature, as DER writes them, with the digest that each uses. */
const digests: Record<string, string> = {
  '2a864886f70d010105': 'sha256', // RSA with SHA-1, for which RFC 5929 takes SHA-256
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
}

/** Where the content of the DER value at `at` begins and ends. */
const contentAt = (der: Buffer, at: number): [from: number, to: number] => {
  const first = der[at + 1]!
  if (first < 0x80) return [at + 2, at + 2 + first]
  const bytes = first & 0x7f
  const from = at + 2 + bytes
  return [from, from + der.readUIntBE(at + 2, bytes)]
}

/**
 * What a login is bound to by `tls-server-end-point` (https://www.rfc-editor.org/rfc/rfc5929#section-4); undefined for a
 * certificate whose signature has no digest of its own, such as Ed25519.
 */
export const certificateDigest = (pem: Buffer): Buffer | undefined => {
  const der = new X509Certificate(pem).raw
  // A certificate is a sequence of what is signed, the algorithm, and the signature. Their first part tells the algorithm.
  const [signed] = contentAt(der, 0)
  const [, algorithmAt] = contentAt(der, signed)
  const [nameAt] = contentAt(der, algorithmAt)
  const [from, to] = contentAt(der, nameAt)
  const digest = digests[der.toString('hex', from, to)]
  return digest === undefined ? undefined : createHash(digest).update(der).digest()
}

const wrong = (message: string) => new ProtocolError(sqlState.protocolViolation, `SCRAM: ${message}`)

/** `n` or `y`, or the channel that the login is bound to; an empty name to act as; then what is signed. */
const firstForm = /^(n|y|p=([\w.-]+)),,(n=[^,]*,r=([!-+\--~]+)(?:,.*)?)$/
const finalForm = /^(c=([A-Za-z\d+/]+={0,2}),r=([!-+\--~]+)(?:,[^,]*)*?),p=([A-Za-z\d+/]{43}=)$/

export interface ScramStart {
  /** The server's first message. */
  answer: string
  /** Reads the client's last message. */
  finish(message: string): { isRight(): boolean; answer: string }
}

export interface ScramOptions {
  hash: PasswordHash
  /** The digest of the certificate, when TLS is the service's own. */
  binding: Buffer | undefined
  /** Whether the client has chosen to bind the login to it. */
  isBound: boolean
}

/** The server's part of a login by SCRAM-SHA-256: https://www.rfc-editor.org/rfc/rfc5802, rfc7677 */
export const startScram = (message: string, { hash, binding, isBound }: ScramOptions): ScramStart => {
  const [, flag = '', channel, bare = '', nonce = ''] = firstForm.exec(message) ?? []
  if (nonce === '') throw wrong('the first message cannot be read.')
  if (isBound !== (channel !== undefined))
    throw wrong('the message does not bind the login as its mechanism says.')
  if (isBound && channel !== 'tls-server-end-point')
    throw wrong('the channel is bound by tls-server-end-point only.')
  // The client says that it could bind the login, and has heard of no way to: somebody has left it out.
  if (flag === 'y' && binding !== undefined) throw wrong('the offer to bind the channel did not arrive.')
  const both = nonce + randomBytes(18).toString('base64')
  const answer = `r=${both},s=${hash.salt.toString('base64')},i=${hash.iterations}`
  const header = Buffer.concat([Buffer.from(`${flag},,`), isBound ? binding! : Buffer.alloc(0)])
  return {
    answer,
    finish(last) {
      const [, unsigned = '', given, echoed, proof = ''] = finalForm.exec(last) ?? []
      if (unsigned === '' || echoed !== both) throw wrong('the last message cannot be read.')
      const text = `${bare},${answer},${unsigned}`
      return {
        isRight() {
          const signature = hmac(hash.storedKey, text)
          const key = Buffer.from(proof, 'base64').map((byte, at) => byte ^ signature[at]!)
          return (
            given === header.toString('base64') && timingSafeEqual(sha256(Buffer.from(key)), hash.storedKey)
          )
        },
        answer: `v=${hmac(hash.serverKey, text).toString('base64')}`,
      }
    },
  }
}

const mechanism = 'SCRAM-SHA-256'
const boundMechanism = 'SCRAM-SHA-256-PLUS'
const maxBytes = 2000

const wrongPassword = (name: string) =>
  new ProtocolError(
    sqlState.wrongPassword,
    `The user name ${JSON.stringify(name.slice(0, 80))} or its password is wrong.`,
  )

/**
 * Asks a client to show that it knows the password, which it does not send. With `binding`, the digest of the TLS
 * certificate, it may show that nobody stands between. Undefined when the client has gone.
 */
export const logIn = async (
  socket: Socket,
  { user, logins, binding }: { user: string; logins: PasswordCheck; binding: Buffer | undefined },
): Promise<Identity | undefined> => {
  socket.write(askSasl(binding === undefined ? [mechanism] : [boundMechanism, mechanism]))
  const first = await readMessage(socket, 'p', maxBytes)
  if (first === undefined) return undefined
  const reader = new BodyReader(first)
  const chosen = reader.text()
  if (chosen !== mechanism && (chosen !== boundMechanism || binding === undefined)) {
    throw new ProtocolError(
      sqlState.protocolViolation,
      `Logins are by ${mechanism} here; the client sent something else.`,
    )
  }
  const message = reader.bytes(reader.int32()).toString()
  const hash = await logins.hashOf(user)
  const scram = startScram(message, { hash, binding, isBound: chosen === boundMechanism })
  socket.write(saslContinue(scram.answer))
  const last = await readMessage(socket, 'p', maxBytes)
  if (last === undefined) return undefined
  const { isRight, answer } = scram.finish(last.toString())
  const origin = { name: user, address: networkOf(socket.remoteAddress ?? '') }
  const identity = await logins.checkProof(origin, isRight).catch((error: unknown) => {
    throw error instanceof HttpError ? new ProtocolError(sqlState.wrongPassword, error.message) : error
  })
  if (identity === undefined) throw wrongPassword(user)
  socket.write(saslFinal(answer))
  return identity
}
