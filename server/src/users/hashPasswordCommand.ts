import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { hashPassword } from './passwordHash.js'

/** Shows nothing of what is typed. */
const unseen = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** `waymark-server hash-password`: one line of standard input becomes a hash on standard output. */
export const hashPasswordCommand = async (): Promise<void> => {
  const { stdin, stderr, stdout } = process
  if (stdin.isTTY) stderr.write('Password: ')
  const lines = createInterface({ input: stdin, output: unseen(), terminal: stdin.isTTY })
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
