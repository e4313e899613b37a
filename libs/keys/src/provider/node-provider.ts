/** Keys of node:crypto. Each is stored encrypted, bound to its id, and decrypted when it is used. */
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import { checkValueOf } from './check-value.ts'
import { signDigestWith } from './digest.ts'
import {
  isKeyLength,
  type CryptoProvider,
  type Curve,
  type Encrypted,
  type MadePair,
  type PrivateKey,
  type Secret,
} from './provider.ts'
import type { Seal } from './seal.ts'
import { algorithmOfCurve, signWith } from './signature.ts'

const iv_bytes = 12
const tag_bytes = 16
/** RFC 3394 2.2.3.1. */
const wrapIv = Buffer.alloc(8, 0xa6)

export function openNodeProvider(seal: Seal): CryptoProvider {
  const plainOf = ({ id, material }: Secret | PrivateKey): Buffer => {
    const plain = seal.decrypt(material, id)
    if (plain === undefined) throw new Error(`the stored key ${id} was encrypted with another key`)
    return plain
  }
  const secretOf = (id: string, type: Secret['type'], plain: Buffer): Secret => ({
    id,
    type,
    material: seal.encrypt(plain, id),
  })
  const encryptedBlock = (key: Secret, block: Buffer) =>
    inBlocks(createCipheriv(blockCipherOf(plainOf(key), key.type), plainOf(key), null), block)
  const decryptedBlock = (key: Secret, block: Buffer) =>
    inBlocks(createDecipheriv(blockCipherOf(plainOf(key), key.type), plainOf(key), null), block)
  return {
    adapter: 'NODE',
    random: (length_bytes) => randomBytes(length_bytes),
    newAesKey: ({ id }, bits) => secretOf(id, 'AES', randomBytes(bits / 8)),
    newPair: ({ id, curve }) => newPair(seal, id, curve),
    importSecret: ({ id, type }, plain) => secretOf(id, type, plain),
    unwrapSecret({ id, type }, wrapped, by) {
      const plain = unwrapped(plainOf(by), wrapped)
      return plain !== undefined && isKeyLength(type, plain.length)
        ? secretOf(id, type, plain)
        : undefined
    },
    sign: (key, bytes) => signWith(algorithmOfCurve[key.curve], privateKeyOf(plainOf(key)), bytes),
    signDigest: (key, digest) =>
      settled(() => signDigestWith(privateKeyOf(plainOf(key)), key.curve, digest)),
    agree: (key, peer) =>
      diffieHellman({ privateKey: privateKeyOf(plainOf(key)), publicKey: peer }),
    encrypt: (key, plain, aad) => settled(() => encrypted(plainOf(key), plain, aad)),
    decrypt: (key, text, aad) => settled(() => decrypted(plainOf(key), text, aad)),
    encryptBlock: (key, block) => settled(() => encryptedBlock(key, block)),
    decryptBlock: (key, block) => settled(() => decryptedBlock(key, block)),
    checkValue: (key) => checkValueOf(key.type, (block) => encryptedBlock(key, block)),
    exportPair: (key) => plainOf(key),
    remove() {
      // The row of the key is all there is of it.
    },
  }
}

/** An error is a rejection, as it is of an HSM. */
function settled<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(work()))
}

function encrypted(secret: Buffer, plain: Buffer, aad: Buffer): Encrypted {
  const iv = randomBytes(iv_bytes)
  const cipher = createCipheriv(gcmOf(secret), secret, iv, { authTagLength: tag_bytes })
  cipher.setAAD(aad)
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
  return { iv, ciphertext, tag: cipher.getAuthTag() }
}

function decrypted(
  secret: Buffer,
  { iv, ciphertext, tag }: Encrypted,
  aad: Buffer,
): Buffer | undefined {
  const decipher = createDecipheriv(gcmOf(secret), secret, iv, { authTagLength: tag_bytes })
  decipher.setAAD(aad)
  decipher.setAuthTag(tag)
  const begun = decipher.update(ciphertext)
  return attempt(() => Buffer.concat([begun, decipher.final()]))
}

function newPair(seal: Seal, id: string, curve: Curve): MadePair {
  const { privateKey } =
    curve === 'Ed25519'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('ec', { namedCurve: curve })
  const der = privateKey.export({ type: 'pkcs8', format: 'der' })
  return { id, curve, material: seal.encrypt(der, id), publicKey: createPublicKey(privateKey) }
}

function privateKeyOf(der: Buffer): KeyObject {
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

function gcmOf(secret: Buffer) {
  return `aes-${secret.length * 8}-gcm` as 'aes-256-gcm'
}

function blockCipherOf(secret: Buffer, type: Secret['type']): string {
  if (type === 'AES') return `aes-${secret.length * 8}-ecb`
  return secret.length === 16 ? 'des-ede-ecb' : 'des-ede3-ecb'
}

function inBlocks(cipher: ReturnType<typeof createCipheriv>, block: Buffer): Buffer {
  cipher.setAutoPadding(false)
  return Buffer.concat([cipher.update(block), cipher.final()])
}

function unwrapped(by: Buffer, wrapped: Buffer): Buffer | undefined {
  return attempt(() => {
    const decipher = createDecipheriv(`id-aes${by.length * 8}-wrap`, by, wrapIv)
    return Buffer.concat([decipher.update(wrapped), decipher.final()])
  })
}

/** OpenSSL throws when a signature does not verify. */
function attempt(read: () => Buffer): Buffer | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
