/** Keys in a token of an HSM: made or unwrapped there, sensitive, and never extractable. */
import { createHash, type KeyObject } from 'node:crypto'
import type { AesGCM, Handle, Mechanism, Template } from 'pkcs11js'
import { checkValueOf } from '../check-value.ts'
import {
  isKeyLength,
  type CryptoProvider,
  type Curve,
  type Encrypted,
  type KeyUsage,
  type MadePair,
  type NewPair,
  type NewSecret,
  type PrivateKey,
  type Secret,
} from '../provider.ts'
import { attribute, keyType, mechanism, noDerivation, object, returned } from './constants.ts'
import { curveParameters, pointOf, publicKeyOf } from './public-key.ts'
import { codeOf, type TokenSession, type Token } from './token.ts'

const iv_bytes = 12
const tag_bytes = 16
/** CK_PARAMS_AES_GCM_v240 and CK_PARAMS_EC_DH of pkcs11js. */
const gcmParameters = 7
const ecdhParameters = 6
const nothing = Buffer.alloc(0)

export function openPkcs11Provider(token: Token): CryptoProvider {
  const secretIn = (session: TokenSession, { id }: { readonly id: string }): Handle =>
    existing(session.find([{ type: attribute.CLASS, value: object.SECRET_KEY }, idOf(id)]), id)
  const signed = ({ id, curve }: PrivateKey, input: Buffer): Promise<Buffer> =>
    token.sign(
      [{ type: attribute.CLASS, value: object.PRIVATE_KEY }, idOf(id)],
      signingMechanism(curve),
      input,
    )
  return {
    adapter: 'PKCS11',
    random: (length_bytes) =>
      token.run(({ library, handle }) =>
        library.C_GenerateRandom(handle, Buffer.alloc(length_bytes)),
      ),
    newAesKey(key, bits) {
      const template = [
        ...secretTemplate({ ...key, type: 'AES' }),
        { type: attribute.VALUE_LEN, value: bits / 8 },
      ]
      token.run(({ library, handle }) =>
        library.C_GenerateKey(handle, { mechanism: mechanism.AES_KEY_GEN }, template),
      )
      return { id: key.id, type: 'AES', material: nothing }
    },
    newPair: (key) => token.run((session) => newPair(session, key)),
    importSecret(key, plain) {
      const template = [
        ...secretTemplate(key, plain.length),
        { type: attribute.VALUE, value: plain },
      ]
      token.run(({ library, handle }) => library.C_CreateObject(handle, template))
      return { id: key.id, type: key.type, material: nothing }
    },
    unwrapSecret: (key, wrapped, by) =>
      token.run((session) => unwrap(session, key, wrapped, secretIn(session, by))),
    sign: (key, bytes) => signed(key, digestOf(key.curve, bytes)),
    signDigest: signed,
    agree: (key, peer) => token.run((session) => agree(session, key, peer)),
    encrypt: (key, plain, aad) =>
      token.use(async (session) => {
        const { library, handle } = session
        const begun = beginEncryption(session, secretIn(session, key), plain, aad)
        return begun.result(await library.C_EncryptAsync(handle, plain, begun.space))
      }),
    decrypt(key, { iv, ...text }, aad) {
      const input = joined(text)
      return token.use(async (session) => {
        const { library, handle } = session
        library.C_DecryptInit(handle, gcmOf(iv, aad), secretIn(session, key))
        return library.C_DecryptAsync(handle, input, Buffer.alloc(input.length)).catch(ofOtherKey)
      })
    },
    encryptBlock: (key, block) =>
      token.use(async (session) => {
        const { library, handle } = session
        library.C_EncryptInit(handle, ecbOf(key), secretIn(session, key))
        return library.C_EncryptAsync(handle, block, Buffer.alloc(block.length))
      }),
    decryptBlock: (key, block) =>
      token.use(async (session) => {
        const { library, handle } = session
        library.C_DecryptInit(handle, ecbOf(key), secretIn(session, key))
        return library.C_DecryptAsync(handle, block, Buffer.alloc(block.length))
      }),
    checkValue: (key) => token.run((session) => checkValue(session, key, secretIn(session, key))),
    exportPair: () => undefined,
    remove: ({ id }) => token.run((session) => removeAll(session, id)),
  }
}

function existing(handle: Handle | undefined, id: string): Handle {
  if (handle === undefined) throw new Error(`the token has no key ${id}`)
  return handle
}

function idOf(id: string) {
  return { type: attribute.ID, value: Buffer.from(id) }
}

function heldFor({ id, label }: { readonly id: string; readonly label: string }): Template {
  return [
    idOf(id),
    { type: attribute.LABEL, value: label },
    { type: attribute.TOKEN, value: true },
    { type: attribute.PRIVATE, value: true },
    { type: attribute.SENSITIVE, value: true },
    { type: attribute.EXTRACTABLE, value: false },
  ]
}

/** @param length_bytes Of a key that is imported. */
function secretTemplate({ usage, type, ...key }: NewSecret, length_bytes?: number): Template {
  const isDouble = type === 'TDES' && length_bytes === 16
  const kind = type === 'AES' ? keyType.AES : isDouble ? keyType.DES2 : keyType.DES3
  return [
    { type: attribute.CLASS, value: object.SECRET_KEY },
    { type: attribute.KEY_TYPE, value: kind },
    ...heldFor(key),
    ...usesOfSecret(usage),
    // For the check value, which is a CMAC.
    { type: attribute.SIGN, value: type === 'AES' },
  ]
}

function usesOfSecret(usage: KeyUsage): Template {
  const encrypts = usage === 'ENCRYPT' || usage === 'PIN'
  return [
    { type: attribute.ENCRYPT, value: encrypts },
    { type: attribute.DECRYPT, value: encrypts },
    { type: attribute.UNWRAP, value: usage === 'WRAP' },
  ]
}

function newPair(session: TokenSession, key: NewPair): MadePair {
  const { library, handle } = session
  const { curve, usage } = key
  const kind = curve === 'Ed25519' ? keyType.EC_EDWARDS : keyType.EC
  // A key for TLS signs the request for its certificate.
  const signs = usage === 'SIGN' || usage === 'TLS'
  const publicTemplate: Template = [
    { type: attribute.CLASS, value: object.PUBLIC_KEY },
    { type: attribute.KEY_TYPE, value: kind },
    idOf(key.id),
    { type: attribute.LABEL, value: key.label },
    { type: attribute.TOKEN, value: true },
    { type: attribute.EC_PARAMS, value: curveParameters[curve] },
    { type: attribute.VERIFY, value: signs },
  ]
  const privateTemplate: Template = [
    { type: attribute.CLASS, value: object.PRIVATE_KEY },
    { type: attribute.KEY_TYPE, value: kind },
    ...heldFor(key),
    { type: attribute.SIGN, value: signs },
    { type: attribute.DERIVE, value: usage === 'WRAP' },
  ]
  const generation = {
    mechanism: curve === 'Ed25519' ? mechanism.EC_EDWARDS_KEY_PAIR_GEN : mechanism.EC_KEY_PAIR_GEN,
  }
  const pair = library.C_GenerateKeyPair(handle, generation, publicTemplate, privateTemplate)
  const publicKey = publicKeyOf(session, pair.publicKey)
  return { id: key.id, curve, material: nothing, publicKey }
}

function signingMechanism(curve: Curve): Mechanism {
  return { mechanism: curve === 'Ed25519' ? mechanism.EDDSA : mechanism.ECDSA }
}

/** CKM_ECDSA signs a digest; Ed25519 the bytes themselves. */
function digestOf(curve: Curve, bytes: Buffer): Buffer {
  if (curve === 'Ed25519') return bytes
  return createHash(curve === 'P-256' ? 'sha256' : 'sha384')
    .update(bytes)
    .digest()
}

const notWrappedByIt: readonly number[] = [
  returned.GENERAL_ERROR,
  returned.WRAPPED_KEY_INVALID,
  returned.WRAPPED_KEY_LEN_RANGE,
]

function unwrap(
  { library, handle }: TokenSession,
  key: NewSecret,
  wrapped: Buffer,
  by: Handle,
): Secret | undefined {
  const length_bytes = wrapped.length - 8
  if (!isKeyLength(key.type, length_bytes)) return undefined
  try {
    const template = secretTemplate(key, length_bytes)
    library.C_UnwrapKey(handle, { mechanism: mechanism.AES_KEY_WRAP }, by, wrapped, template)
    return { id: key.id, type: key.type, material: nothing }
  } catch (error) {
    if (notWrappedByIt.includes(codeOf(error) ?? -1)) return undefined
    throw error
  }
}

/** The shared secret is an object of the session, and is removed before it returns. */
function agree(session: TokenSession, { id, curve }: PrivateKey, peer: KeyObject): Buffer {
  const { library, handle } = session
  const own = session.find([{ type: attribute.CLASS, value: object.PRIVATE_KEY }, idOf(id)])
  const parameter = { type: ecdhParameters, kdf: noDerivation, publicData: pointOf(peer) }
  const template: Template = [
    { type: attribute.CLASS, value: object.SECRET_KEY },
    { type: attribute.KEY_TYPE, value: keyType.GENERIC_SECRET },
    { type: attribute.TOKEN, value: false },
    { type: attribute.SENSITIVE, value: false },
    { type: attribute.EXTRACTABLE, value: true },
    { type: attribute.VALUE_LEN, value: curve === 'P-256' ? 32 : 48 },
  ]
  const by = { mechanism: mechanism.ECDH1_DERIVE, parameter }
  const shared = library.C_DeriveKey(handle, by, existing(own, id), template)
  const [value] = library.C_GetAttributeValue(handle, shared, [{ type: attribute.VALUE }])
  library.C_DestroyObject(handle, shared)
  return value?.value as Buffer
}

function ecbOf({ type }: Secret): Mechanism {
  return { mechanism: type === 'AES' ? mechanism.AES_ECB : mechanism.DES3_ECB }
}

function gcmOf(iv: Buffer, aad: Buffer): Mechanism {
  const bits = { ivBits: iv_bytes * 8, tagBits: tag_bytes * 8 }
  const parameter: AesGCM = { type: gcmParameters, iv, aad, ...bits }
  return { mechanism: mechanism.AES_GCM, parameter }
}

interface BegunEncryption {
  /** For ciphertext and tag. */
  readonly space: Buffer
  readonly result: (out: Buffer) => Encrypted
}

function beginEncryption(
  { library, handle }: TokenSession,
  key: Handle,
  plain: Buffer,
  aad: Buffer,
): BegunEncryption {
  const iv = library.C_GenerateRandom(handle, Buffer.alloc(iv_bytes))
  library.C_EncryptInit(handle, gcmOf(iv, aad), key)
  return {
    space: Buffer.alloc(plain.length + tag_bytes),
    result: (out) => ({
      iv,
      ciphertext: out.subarray(0, -tag_bytes),
      tag: out.subarray(-tag_bytes),
    }),
  }
}

export function encryptIn(
  session: TokenSession,
  key: Handle,
  plain: Buffer,
  aad: Buffer,
): Encrypted {
  const { space, result } = beginEncryption(session, key, plain, aad)
  return result(session.library.C_Encrypt(session.handle, plain, space))
}

const notEncryptedByIt: readonly number[] = [
  returned.GENERAL_ERROR,
  returned.DATA_INVALID,
  returned.ENCRYPTED_DATA_INVALID,
  returned.ENCRYPTED_DATA_LEN_RANGE,
]

/** Undefined for the error of a text that the key did not encrypt; throws any other. */
function ofOtherKey(error: unknown): undefined {
  if (!notEncryptedByIt.includes(codeOf(error) ?? -1)) throw error
}

/** As PKCS#11 takes a text of GCM. */
function joined({ ciphertext, tag }: Omit<Encrypted, 'iv'>): Buffer {
  return Buffer.concat([ciphertext, tag])
}

export function decryptIn(
  { library, handle }: TokenSession,
  key: Handle,
  { iv, ...text }: Encrypted,
  aad: Buffer,
): Buffer | undefined {
  const input = joined(text)
  library.C_DecryptInit(handle, gcmOf(iv, aad), key)
  try {
    return library.C_Decrypt(handle, input, Buffer.alloc(input.length))
  } catch (error) {
    return ofOtherKey(error)
  }
}

/** A key that wraps may not encrypt, so the HSM computes the CMAC itself. */
function checkValue({ library, handle }: TokenSession, { type }: Secret, key: Handle): Buffer {
  if (type === 'TDES') {
    return checkValueOf(type, (block) => {
      library.C_EncryptInit(handle, { mechanism: mechanism.DES3_ECB }, key)
      return library.C_Encrypt(handle, block, Buffer.alloc(block.length))
    })
  }
  library.C_SignInit(handle, { mechanism: mechanism.AES_CMAC }, key)
  return library.C_Sign(handle, Buffer.alloc(16), Buffer.alloc(16)).subarray(0, 5)
}

function removeAll(session: TokenSession, id: string): void {
  for (const value of Object.values(object)) {
    const found = session.find([{ type: attribute.CLASS, value }, idOf(id)])
    if (found !== undefined) session.library.C_DestroyObject(session.handle, found)
  }
}
