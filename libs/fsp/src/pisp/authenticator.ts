/**
 * A user's device in software, for tests and for the sandbox: FIDO authenticators with an ES256 key
 * and a signature counter, and plain key pairs for GENERIC credentials. It behaves like a device
 * but protects nothing: the keys are in memory. WebAuthn Level 2, sections 6.1, 6.5 and 8;
 * Third-Party API 1.0, sections 3.2.1.
 */
import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  type KeyPairKeyObjectResult,
} from 'node:crypto'

/** FIDOPublicKeyCredentialAttestation: `id` is base64url, the rest base64 with padding. */
export interface FidoAttestation {
  readonly id: string
  readonly rawId: string
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string }
  readonly type: 'public-key'
}

/** FIDOPublicKeyCredentialAssertion: `id` is base64url, the rest base64 with padding. */
export interface FidoAssertion {
  readonly id: string
  readonly rawId: string
  readonly response: {
    readonly authenticatorData: string
    readonly clientDataJSON: string
    readonly signature: string
  }
  readonly type: 'public-key'
}

export interface Ceremony {
  /** The bytes that the relying party wants signed. */
  readonly challenge: Buffer
  /** The origin of the requesting page or app: "https://app.pisp.example". */
  readonly origin: string
  /** The origin's host when left out. */
  readonly rpId?: string
}

export interface AuthenticatorOptions {
  /** `none` when left out; `packed` is self attestation, signed with the credential's own key. */
  readonly attestation?: 'none' | 'packed'
  /**
   * Each signature increases it by one; `false`: the counter is always 0, as with most passkeys.
   */
  readonly counts?: boolean
  /** `false`: it detects that a user is present and verifies none. */
  readonly verifiesUser?: boolean
}

export interface Authenticator {
  readonly publicKey: KeyObject
  /** Returns the public key (navigator.credentials.create). */
  register(ceremony: Ceremony): FidoAttestation
  /** Signs (navigator.credentials.get). */
  assert(ceremony: Ceremony): FidoAssertion
  /** A second device with the same key and the current counter, such as a thief of the key has. */
  clone(): Authenticator
}

const flags = { userPresent: 0x01, userVerified: 0x04, attestedCredentialData: 0x40 } as const
const es256 = -7

/** One credential on its own device. */
export function createAuthenticator(options: AuthenticatorOptions = {}): Authenticator {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return open({ keys, id: randomBytes(32), options }, 0)
}

interface Device {
  readonly keys: KeyPairKeyObjectResult
  readonly id: Buffer
  readonly options: AuthenticatorOptions
}

function open(device: Device, firstCount: number): Authenticator {
  const { keys, id, options } = device
  const { attestation = 'none', counts = true, verifiesUser = true } = options
  const user = verifiesUser ? flags.userPresent | flags.userVerified : flags.userPresent
  let count = firstCount
  const names = { id: id.toString('base64url'), rawId: id.toString('base64') }
  return {
    publicKey: keys.publicKey,
    register(ceremony) {
      const clientData = clientDataOf('webauthn.create', ceremony)
      const authData = Buffer.concat([
        authenticatorData(ceremony, user | flags.attestedCredentialData, count),
        attestedCredential(id, keys.publicKey),
      ])
      const signature = sign('sha256', signedBytes(authData, clientData), keys.privateKey)
      const statement =
        attestation === 'none'
          ? new Map()
          : new Map<string, number | Buffer>([
              ['alg', es256],
              ['sig', signature],
            ])
      const attestationObject = encodeCbor(
        new Map<string, string | Buffer | Map<string, number | Buffer>>([
          ['fmt', attestation],
          ['attStmt', statement],
          ['authData', authData],
        ]),
      )
      const response = {
        clientDataJSON: clientData.toString('base64'),
        attestationObject: attestationObject.toString('base64'),
      }
      return { ...names, response, type: 'public-key' }
    },
    assert(ceremony) {
      if (counts) count += 1
      const clientData = clientDataOf('webauthn.get', ceremony)
      const authData = authenticatorData(ceremony, user, count)
      const signature = sign('sha256', signedBytes(authData, clientData), keys.privateKey)
      const response = {
        authenticatorData: authData.toString('base64'),
        clientDataJSON: clientData.toString('base64'),
        signature: signature.toString('base64'),
      }
      return { ...names, response, type: 'public-key' }
    },
    clone: () => open(device, count),
  }
}

function clientDataOf(type: string, { challenge, origin }: Ceremony): Buffer {
  const json = { type, challenge: challenge.toString('base64url'), origin, crossOrigin: false }
  return Buffer.from(JSON.stringify(json))
}

/** The hash of the relying party's id, flags and counter: 37 bytes. */
function authenticatorData({ origin, rpId }: Ceremony, set: number, count: number): Buffer {
  const data = Buffer.alloc(37)
  sha256(Buffer.from(rpId ?? new URL(origin).hostname)).copy(data)
  data.writeUInt8(set, 32)
  data.writeUInt32BE(count, 33)
  return data
}

/** No model of a device (16 zero bytes), the credential's id, and its key in COSE form. RFC 9053. */
function attestedCredential(id: Buffer, publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const coseKey = encodeCbor(
    new Map<number, number | Buffer>([
      [1, 2],
      [3, es256],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  )
  const length = Buffer.from([id.length >> 8, id.length & 0xff])
  return Buffer.concat([Buffer.alloc(16), length, id, coseKey])
}

function signedBytes(authData: Buffer, clientData: Buffer): Buffer {
  return Buffer.concat([authData, sha256(clientData)])
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** A plain key pair of a user, for a GENERIC credential. */
export interface GenericKey {
  /** The DER form of SubjectPublicKeyInfo, base64. */
  readonly publicKey: string
  /** Signs SHA-256 of the challenge's text, as it is in the message; base64. */
  sign(challengeText: string): string
}

export function createGenericKey(kind: 'P-256' | 'RSA-2048' | 'Ed25519' = 'P-256'): GenericKey {
  const { publicKey, privateKey } = pairOf(kind)
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    sign(challengeText) {
      const text = Buffer.from(challengeText)
      const signature =
        kind === 'Ed25519' ? sign(null, sha256(text), privateKey) : sign('sha256', text, privateKey)
      return signature.toString('base64')
    },
  }
}

function pairOf(kind: 'P-256' | 'RSA-2048' | 'Ed25519'): KeyPairKeyObjectResult {
  switch (kind) {
    case 'P-256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    case 'RSA-2048':
      return generateKeyPairSync('rsa', { modulusLength: 2_048 })
    case 'Ed25519':
      return generateKeyPairSync('ed25519')
  }
}

/** The subset of CBOR that an authenticator writes: integers, byte strings, text and maps. RFC 8949. */
type CborValue = number | string | Buffer | CborMap

/** Members in the order in which they are written. */
type CborMap = ReadonlyMap<number | string, CborValue>

/** Integers within 32 bits, lengths within 64 KiB. */
function encodeCbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([head(3, text.length), text])
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const members = [...value].flatMap(([name, member]) => [encodeCbor(name), encodeCbor(member)])
  return Buffer.concat([head(5, value.size), ...members])
}

function head(majorType: number, argument: number): Buffer {
  const type = majorType << 5
  if (argument < 24) return Buffer.from([type | argument])
  if (argument < 0x100) return Buffer.from([type | 24, argument])
  if (argument < 0x10000) return Buffer.from([type | 25, argument >> 8, argument & 0xff])
  const wide = Buffer.alloc(5)
  wide.writeUInt8(type | 26)
  wide.writeUInt32BE(argument, 1)
  return wide
}
