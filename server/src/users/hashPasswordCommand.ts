import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { hashPassword } from './passwordHash.js'

/** Swallows the terminal's echo, so that the typed password is not shown. */
const noEcho = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** `waymark-server hash-password` reads one line of standard input and writes its hash to standard output. */
export const hashPasswordCommand = async (): Promise<void> => {
  const { stdin, stderr, stdout } = process
  if (stdin.isTTY) stderr.write('Password: ')
  const lines = createInterface({ input: stdin, output: noEcho(), terminal: stdin.isTTY })
  const password = await new Promise<string>((resolve) => {
    lines.once('line', resolve).once('close', () => resolve(''))
  })
  lines.close()
  if (stdin.isTTY) stderr.write('\n')
  if (password === '') {
    stderr.write('There is no password: type one, or send it as one line on standard input.\n')
    process.exitCode = 2
    return
  }
  stdout.write(`${await hashPassword(password)}\n`)
}
