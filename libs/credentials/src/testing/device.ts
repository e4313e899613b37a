/** A software authenticator that can also produce invalid output: each part can be made wrong. */
import {
  createHash,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from 'node:crypto'

export type Algorithm = 'ES256' | 'RS256' | 'EdDSA' | 'ES256K'

export interface Wrong {
  readonly type?: string
  readonly challenge?: string
  readonly origin?: string
  readonly rpId?: string
  readonly crossOrigin?: boolean
  readonly flags?: number
  readonly count?: number
  readonly format?: string
  /** Made of what it states something about, if it is a function. */
  readonly statement?: Cbor | ((made: Made) => Cbor)
  readonly id?: Buffer
  readonly aaguid?: Buffer
  /** The key of the credential; of the device's own algorithm. */
  readonly publicKey?: KeyObject
}

/** A credential that was made, for its attestation. */
export interface Made {
  readonly authData: Buffer
  readonly clientDataHash: Buffer
  readonly aaguid: Buffer
  readonly id: Buffer
  readonly keys: KeyPairKeyObjectResult
}

export const origin = 'https://app.pispx.example'
export const rpId = 'pispx.example'

export type Cbor = number | string | Buffer | readonly Cbor[] | Map<number | string, Cbor>

export function openDevice(algorithm: Algorithm = 'ES256') {
  const keys = pairOf(algorithm)
  const id = randomBytes(32)
  return {
    keys,
    id,
    register(challenge: Buffer, wrong: Wrong = {}) {
      const client = clientData('webauthn.create', challenge, wrong)
      const aaguid = wrong.aaguid ?? Buffer.alloc(16)
      const attested = Buffer.concat([
        aaguid,
        Buffer.from([0, id.length]),
        wrong.id ?? id,
        cbor(coseKey(algorithm, wrong.publicKey ?? keys.publicKey)),
      ])
      const authData = Buffer.concat([authenticatorData(wrong, 0x41), attested])
      const signature = signed(algorithm, keys.privateKey, toSign(authData, client))
      const packed = new Map<string, Cbor>([
        ['alg', coseNames[algorithm]],
        ['sig', signature],
      ])
      const usual: Cbor = wrong.format === 'packed' ? packed : new Map<string, Cbor>()
      const made = { authData, clientDataHash: sha256(client), aaguid, id, keys }
      const { statement = usual } = wrong
      const object = new Map<string, Cbor>([
        ['fmt', wrong.format ?? 'none'],
        ['attStmt', typeof statement === 'function' ? statement(made) : statement],
        ['authData', authData],
      ])
      return {
        ...names(id),
        response: {
          clientDataJSON: client.toString('base64'),
          attestationObject: cbor(object).toString('base64'),
        },
        type: 'public-key',
      }
    },
    assert(challenge: Buffer, wrong: Wrong = {}) {
      const client = clientData('webauthn.get', challenge, wrong)
      const data = authenticatorData({ count: 1, ...wrong }, 0x01)
      return {
        ...names(wrong.id ?? id),
        response: {
          authenticatorData: data.toString('base64'),
          clientDataJSON: client.toString('base64'),
          signature: signed(algorithm, keys.privateKey, toSign(data, client)).toString('base64'),
        },
        type: 'public-key',
      }
    },
  }
}

function names(id: Buffer) {
  return { id: id.toString('base64url'), rawId: id.toString('base64') }
}

function clientData(type: string, challenge: Buffer, wrong: Wrong): Buffer {
  const json = {
    type: wrong.type ?? type,
    challenge: wrong.challenge ?? challenge.toString('base64url'),
    origin: wrong.origin ?? origin,
    crossOrigin: wrong.crossOrigin ?? false,
  }
  return Buffer.from(JSON.stringify(json))
}

function authenticatorData(wrong: Wrong, flags: number): Buffer {
  const data = Buffer.alloc(37)
  sha256(Buffer.from(wrong.rpId ?? rpId)).copy(data)
  data.writeUInt8(wrong.flags ?? flags, 32)
  data.writeUInt32BE(wrong.count ?? 0, 33)
  return data
}

function toSign(authData: Buffer, client: Buffer): Buffer {
  return Buffer.concat([authData, sha256(client)])
}

export function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function signed(algorithm: Algorithm, key: KeyObject, bytes: Buffer): Buffer {
  return sign(algorithm === 'EdDSA' ? null : 'sha256', bytes, key)
}

export function pairOf(algorithm: Algorithm): KeyPairKeyObjectResult {
  switch (algorithm) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    case 'ES256K':
      return generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: 2_048 })
    case 'EdDSA':
      return generateKeyPairSync('ed25519')
  }
}

const coseNames = { ES256: -7, EdDSA: -8, ES256K: -47, RS256: -257 } as const

function coseKey(algorithm: Algorithm, key: KeyObject): Map<number, Cbor> {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' })
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  const alg: [number, Cbor] = [3, coseNames[algorithm]]
  switch (algorithm) {
    case 'RS256':
      return new Map<number, Cbor>([[1, 3], alg, [-1, bytes(n)], [-2, bytes(e)]])
    case 'EdDSA':
      return new Map<number, Cbor>([[1, 1], alg, [-1, 6], [-2, bytes(x)]])
    default: {
      const curve = algorithm === 'ES256' ? 1 : 8
      return new Map<number, Cbor>([[1, 2], alg, [-1, curve], [-2, bytes(x)], [-3, bytes(y)]])
    }
  }
}

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') {
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (isList(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  const entries = [...value].flatMap(([name, one]) => [cbor(name), cbor(one)])
  return Buffer.concat([head(5, value.size), ...entries])
}

function isList(value: readonly Cbor[] | Map<number | string, Cbor>): value is readonly Cbor[] {
  return Array.isArray(value)
}

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff])
}
