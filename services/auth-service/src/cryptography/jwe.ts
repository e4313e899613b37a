/**
 * Opens a compact JWE of ECDH-ES and A256GCM (RFC 7516, RFC 7518 4.6 and 5.3). The holder of the private
 * key computes the shared secret, so that the key may be in an HSM; `jose` needs the key itself.
 */
import { createDecipheriv, createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'

const text_max = 4_096
const tag_bytes = 16
const iv_bytes = 12
const encoding = 'A256GCM'

const header = z.strictObject({
  alg: z.literal('ECDH-ES'),
  enc: z.literal(encoding),
  epk: z.strictObject({
    kty: z.literal('EC'),
    crv: z.enum(['P-256', 'P-384']),
    x: z.base64url(),
    y: z.base64url(),
  }),
})

/** @param curve Of the private key. Undefined if the text is no such JWE or was not made for the key. */
export function openJwe(
  text: string,
  curve: string,
  agree: (peer: KeyObject) => Buffer,
): Buffer | undefined {
  const [head = '', key, iv = '', ciphertext = '', tag = '', ...more] = text.split('.')
  if (text.length > text_max || key !== '' || more.length > 0) return undefined
  const peer = peerIn(head, curve)
  if (peer === undefined) return undefined
  const [iv_, tag_] = [Buffer.from(iv, 'base64url'), Buffer.from(tag, 'base64url')]
  if (iv_.length !== iv_bytes || tag_.length !== tag_bytes) return undefined
  const decipher = createDecipheriv('aes-256-gcm', derivedKey(agree(peer)), iv_, {
    authTagLength: tag_bytes,
  })
  decipher.setAAD(Buffer.from(head))
  decipher.setAuthTag(tag_)
  const begun = decipher.update(Buffer.from(ciphertext, 'base64url'))
  try {
    return Buffer.concat([begun, decipher.final()])
  } catch {
    return undefined
  }
}

/** createPublicKey refuses a point that is not on its curve. */
function peerIn(head: string, curve: string): KeyObject | undefined {
  try {
    const { epk } = header.parse(JSON.parse(Buffer.from(head, 'base64url').toString()))
    return epk.crv === curve ? createPublicKey({ key: epk, format: 'jwk' }) : undefined
  } catch {
    return undefined
  }
}

/** Concat KDF of NIST SP 800-56A as in RFC 7518 4.6.2, without names of the parties. */
function derivedKey(shared: Buffer): Buffer {
  const round = uint32(1)
  const algorithm = Buffer.concat([uint32(encoding.length), Buffer.from(encoding)])
  const parties = Buffer.concat([uint32(0), uint32(0)])
  return createHash('sha256')
    .update(Buffer.concat([round, shared, algorithm, parties, uint32(256)]))
    .digest()
}

function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
