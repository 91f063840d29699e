import type { Socket } from 'node:net'
import { networkOf } from '../../http/clientAddress.js'
import { HttpError } from '../../http/HttpError.js'
import type { Identity } from '../../users/Identity.js'
import type { PasswordCheck } from '../../users/PasswordCheck.js'
import { BodyReader } from '../messages/BodyReader.js'
import { askSasl, saslContinue, saslFinal } from '../messages/messages.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import { readMessage } from './readMessage.js'
import { startScram } from './scram.js'

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
