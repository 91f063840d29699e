import { createHash, X509Certificate } from 'node:crypto'

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
