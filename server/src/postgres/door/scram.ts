import { randomBytes, timingSafeEqual } from 'node:crypto'
import { hmac, type PasswordHash, sha256 } from '../../users/passwordHash.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'

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
