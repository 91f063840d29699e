import { createHash, X509Certificate } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startScram, certificateDigest } from '../../../src/postgres/door/logIn.js'
import { hashPassword, parseHash } from '../../../src/users/passwordHash.js'
import { createService, type Service } from '../../fixtures/createService.js'
import { runPsql } from '../../fixtures/runPsql.js'
import { cheapHash } from '../../fixtures/usersFile.js'
import { loginEnd } from '../../fixtures/WireClient.js'

let folder: string
const makeCertificate = (name: string, ...how: string[]) => {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  const files = ['-keyout', key, '-out', cert]
  execFileSync(
    'openssl',
    ['req', '-x509', ...how, '-nodes', ...files, '-subj', '/CN=localhost', '-days', '2'],
    { stdio: 'ignore' },
  )
  return { cert, key }
}
let service: Service
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-scram-'))
  const { cert, key } = makeCertificate('rsa', '-newkey', 'rsa:2048')
  service = await createService({ postgresPort: 0, postgresTlsCert: cert, postgresTlsKey: key })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const hash = parseHash(cheapHash('lovelace'))!
/** Says a whole login, and whether the password was right. */
const logIn = (
  password: string,
  first = 'n,,n=,r=nonce',
  more: { binding?: Buffer; isBound?: boolean; header?: Buffer<ArrayBuffer> } = {},
) => {
  const { answer, finish } = startScram(first, {
    hash,
    binding: more.binding,
    isBound: more.isBound ?? false,
  })
  const last = loginEnd(answer, password, more.header ?? Buffer.from('n,,')).subarray(5)
  return finish(last.toString()).isRight()
}

describe('SCRAM-SHA-256', () => {
  it('knows who has the password', () => {
    expect(logIn('lovelace')).toBe(true)
    for (const wrong of ['Lovelace', '', 'lovelace ']) expect(logIn(wrong)).toBe(false)
  })

  it('takes a login that is bound to the certificate of this connection alone', () => {
    const binding = createHash('sha256').update('ours').digest()
    const start = 'p=tls-server-end-point,,n=,r=nonce'
    const header = Buffer.concat([Buffer.from('p=tls-server-end-point,,'), binding])
    expect(logIn('lovelace', start, { binding, isBound: true, header })).toBe(true)
    const other = Buffer.concat([
      Buffer.from('p=tls-server-end-point,,'),
      createHash('sha256').update('theirs').digest(),
    ])
    expect(logIn('lovelace', start, { binding, isBound: true, header: other })).toBe(false)
  })

  it.each([
    ['', {}],
    ['n,a=root,n=,r=nonce', {}],
    ['n,,m=more,n=,r=nonce', {}],
    // Its mechanism is the one that binds nothing.
    ['p=tls-server-end-point,,n=,r=nonce', {}],
    ['p=tls-unique,,n=,r=nonce', { binding: Buffer.alloc(32), isBound: true }],
    ['n,,n=,r=nonce', { binding: Buffer.alloc(32), isBound: true }],
    // Somebody between has left the offer of a bound login out.
    ['y,,n=,r=nonce', { binding: Buffer.alloc(32) }],
  ])('refuses to begin by %j', (first, more) => {
    expect(() => logIn('lovelace', first, more)).toThrow('SCRAM')
  })

  it('refuses an end that belongs to another beginning', () => {
    const begin = () => startScram('n,,n=,r=nonce', { hash, binding: undefined, isBound: false })
    const one = begin()
    const other = begin()
    const last = loginEnd(one.answer).subarray(5).toString()
    expect(() => other.finish(last)).toThrow('SCRAM')
    expect(() => one.finish(last.replace(/p=.*/, 'p='))).toThrow('SCRAM')
    expect(one.finish(last.replace(/c=[^,]*/, 'c=eSws')).isRight()).toBe(false)
  })
})

const ofRsa = ['-newkey', 'rsa:2048']
const ofCurve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']

it.each([
  [ofRsa, 'sha1', 'sha256'],
  [ofRsa, 'sha256', 'sha256'],
  [ofRsa, 'sha384', 'sha384'],
  [ofRsa, 'sha512', 'sha512'],
  [ofCurve, 'sha256', 'sha256'],
  [ofCurve, 'sha384', 'sha384'],
  [ofCurve, 'sha512', 'sha512'],
])('the digest of a certificate by %j with %s is by %s', (how, signedBy, digest) => {
  const pem = readFileSync(
    makeCertificate(`${how.at(1)?.slice(0, 3)}-${signedBy}`, ...how, `-${signedBy}`).cert,
  )
  const wanted = createHash(digest).update(new X509Certificate(pem).raw).digest('hex')
  expect(certificateDigest(pem)?.toString('hex')).toBe(wanted)
})

it('a certificate with Ed25519 has no digest to bind to', () => {
  expect(
    certificateDigest(readFileSync(makeCertificate('edwards', '-newkey', 'ed25519').cert)),
  ).toBeUndefined()
})

it('psql binds its login to the certificate, and refuses to where it cannot', async () => {
  const ask = (more: NodeJS.ProcessEnv) =>
    runPsql(service.postgresPort, ['SELECT 1'], { PGCHANNELBINDING: 'require', ...more })
  expect(await ask({ PGSSLMODE: 'require' })).toMatchObject({ code: 0, stdout: '1\n' })
  expect((await ask({ PGSSLMODE: 'disable' })).stderr).toContain('channel binding')
  const wrong = await ask({ PGSSLMODE: 'require', PGPASSWORD: 'wrong' })
  expect(wrong.stderr).toContain('or its password is wrong')
})

it('node pg and psql log in by the hash that `hash-password` makes', async () => {
  const usersFile = join(folder, 'users.json')
  const password = await hashPassword('builder')
  writeFileSync(usersFile, JSON.stringify({ ada: { role: 'read', password } }))
  const own = await createService({ postgresPort: 0, users: {}, usersFile })
  try {
    const client = new pg.Client(`postgresql://ada:builder@127.0.0.1:${own.postgresPort}/lakehouse`)
    await client.connect()
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await client.end()
    const psql = await runPsql(own.postgresPort, ['SELECT 1'], { PGPASSWORD: 'builder' })
    expect(psql).toMatchObject({ code: 0, stdout: '1\n' })
  } finally {
    await own.close()
  }
})
