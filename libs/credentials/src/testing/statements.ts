/**
 * Attestations as devices of each kind make them, with certificates of an authority of the test: what
 * differs from a genuine one is who signed the certificates.
 */
import { generateKeyPairSync, sign, X509Certificate, type KeyObject } from 'node:crypto'
import { sha256, type Cbor, type Made } from './device.ts'

export interface Maker {
  /** Of its authority. */
  readonly root: X509Certificate
  /** Which certifies its devices. */
  readonly authority: X509Certificate
  /** What a device states, by format. */
  readonly statements: Readonly<Record<MadeFormat, (made: Made) => Map<string, Cbor>>>
}

export type MadeFormat = 'packed' | 'fido-u2f' | 'tpm' | 'android-key' | 'apple'

export interface MakerOptions {
  /** When its certificates end. */
  readonly to?: Date
  /** Over which it makes statements, instead of the hash of the client data. */
  readonly clientDataHash?: Buffer
  /** Of which it states something, instead of the key of the credential. */
  readonly publicKey?: KeyObject
}

/** A maker with a root, an authority below it, and certificates of devices below that. */
export function openMaker({ to, ...other }: MakerOptions = {}): Maker {
  const [root, between] = [newPair(), newPair()]
  const ends = to === undefined ? {} : { to }
  const own = { subject: [commonName('Maker Root')], issuer: [commonName('Maker Root')], ...ends }
  const ownCertificate = certificate({
    ...own,
    isCa: true,
    key: root.publicKey,
    by: root.privateKey,
  })
  const authority = certificate({
    subject: [commonName('Maker CA')],
    issuer: own.issuer,
    isCa: true,
    key: between.publicKey,
    by: root.privateKey,
    ...ends,
  })
  const leaf = (subject: readonly Buffer[], key: KeyObject, extensions: readonly Buffer[]) => [
    certificate({
      subject,
      issuer: [commonName('Maker CA')],
      key,
      by: between.privateKey,
      extensions,
      ...ends,
    }),
    authority,
  ]
  const as = (of: (made: Made) => Map<string, Cbor>) => (made: Made) => of({ ...made, ...other })
  return {
    root: new X509Certificate(ownCertificate),
    authority: new X509Certificate(authority),
    statements: {
      packed: as((made) => packed(made, leaf)),
      'fido-u2f': as((made) => u2f(made, leaf)),
      tpm: as((made) => tpm(made, leaf, other.publicKey)),
      'android-key': as((made) => android(made, leaf, other.publicKey)),
      apple: as((made) => apple(made, leaf, other.publicKey)),
    },
  }
}

type Leaf = (
  subject: readonly Buffer[],
  key: KeyObject,
  extensions: readonly Buffer[],
) => readonly Buffer[]

const authenticator = [
  attribute('2.5.4.6', 'XX', 0x13),
  attribute('2.5.4.10', 'Maker'),
  attribute('2.5.4.11', 'Authenticator Attestation'),
  commonName('Device'),
]

function packed({ authData, clientDataHash, aaguid }: Made, leaf: Leaf): Map<string, Cbor> {
  const { publicKey, privateKey } = newPair()
  const named = extension('1.3.6.1.4.1.45724.1.1.4', tlv(4, aaguid))
  return new Map<string, Cbor>([
    ['alg', -7],
    ['sig', sign('sha256', Buffer.concat([authData, clientDataHash]), privateKey)],
    ['x5c', leaf(authenticator, publicKey, [named])],
  ])
}

function u2f(made: Made, leaf: Leaf): Map<string, Cbor> {
  const { publicKey, privateKey } = newPair()
  const rpIdHash = made.authData.subarray(0, 32)
  const point = made.keys.publicKey.export({ type: 'spki', format: 'der' }).subarray(-65)
  const signed = Buffer.concat([Buffer.of(0), rpIdHash, made.clientDataHash, made.id, point])
  return new Map<string, Cbor>([
    ['sig', sign('sha256', signed, privateKey)],
    ['x5c', leaf([commonName('U2F')], publicKey, []).slice(0, 1)],
  ])
}

function android(
  { authData, clientDataHash, keys }: Made,
  leaf: Leaf,
  publicKey = keys.publicKey,
): Map<string, Cbor> {
  const version = tlv(2, Buffer.of(3))
  const level = tlv(10, Buffer.of(1))
  const purpose = tlv(0xa1, tlv(0x31, tlv(2, Buffer.of(2))))
  // [702] EXPLICIT.
  const generated = Buffer.from('bf853e03020100', 'hex')
  const lists = [sequence(), sequence(purpose, generated)]
  const challenge = tlv(4, clientDataHash)
  const description = sequence(version, level, version, level, challenge, tlv(4), ...lists)
  const described = extension('1.3.6.1.4.1.11129.2.1.17', description)
  return new Map<string, Cbor>([
    ['alg', -7],
    ['sig', sign('sha256', Buffer.concat([authData, clientDataHash]), keys.privateKey)],
    ['x5c', leaf([commonName('Android Keystore Key')], publicKey, [described])],
  ])
}

function apple(
  { authData, clientDataHash, keys }: Made,
  leaf: Leaf,
  publicKey = keys.publicKey,
): Map<string, Cbor> {
  const nonce = sha256(Buffer.concat([authData, clientDataHash]))
  const named = extension('1.2.840.113635.100.8.2', sequence(tlv(0xa1, tlv(4, nonce))))
  return new Map<string, Cbor>([['x5c', leaf([commonName('credential')], publicKey, [named])]])
}

function tpm(
  { authData, clientDataHash, aaguid, keys }: Made,
  leaf: Leaf,
  certified = keys.publicKey,
): Map<string, Cbor> {
  const { publicKey, privateKey } = newPair()
  const area = publicArea(certified)
  const info = Buffer.concat([
    Buffer.from('ff5443478017', 'hex'),
    sized(Buffer.from('signer')),
    sized(sha256(Buffer.concat([authData, clientDataHash]))),
    Buffer.alloc(25),
    sized(Buffer.concat([Buffer.from('000b', 'hex'), sha256(area)])),
    sized(Buffer.alloc(0)),
  ])
  const tpmName = sequence(attribute('2.23.133.2.1', 'id:00000000'))
  const extensions = [
    extension('2.5.29.17', sequence(tlv(0xa4, tpmName)), true),
    extension('2.5.29.37', sequence(oid('2.23.133.8.3'))),
    extension('1.3.6.1.4.1.45724.1.1.4', tlv(4, aaguid)),
  ]
  return new Map<string, Cbor>([
    ['ver', '2.0'],
    ['alg', -7],
    ['sig', sign('sha256', info, privateKey)],
    ['x5c', leaf([], publicKey, extensions)],
    ['pubArea', area],
    ['certInfo', info],
  ])
}

/** TPMT_PUBLIC of a key that signs. */
function publicArea(key: KeyObject): Buffer {
  const { n, x = '', y = '' } = key.export({ format: 'jwk' })
  const [none, attributes] = [Buffer.from('0010', 'hex'), Buffer.alloc(4)]
  const policy = sized(Buffer.alloc(0))
  if (n !== undefined) {
    // Of 2,048 bits, with the usual exponent.
    const parameters = Buffer.concat([none, none, Buffer.from('080000000000', 'hex')])
    const head = Buffer.from('0001000b', 'hex')
    return Buffer.concat([head, attributes, policy, parameters, sized(fromUrl(n))])
  }
  const head = Buffer.from('0023000b', 'hex')
  const curve = Buffer.concat([none, none, Buffer.from('0003', 'hex'), none])
  return Buffer.concat([head, attributes, policy, curve, sized(fromUrl(x)), sized(fromUrl(y))])
}

const fromUrl = (text: string) => Buffer.from(text, 'base64url')

function sized(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function newPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

interface Content {
  readonly subject: readonly Buffer[]
  readonly issuer: readonly Buffer[]
  readonly key: KeyObject
  readonly by: KeyObject
  readonly isCa?: boolean
  readonly to?: Date
  readonly extensions?: readonly Buffer[]
}

/** DER. */
function certificate(content: Content): Buffer {
  const { subject, issuer, key, by, isCa = false, extensions = [] } = content
  const { to = new Date('2090-01-01T00:00:00Z') } = content
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'))
  const constraints = extension(
    '2.5.29.19',
    sequence(...(isCa ? [tlv(1, Buffer.of(255))] : [])),
    true,
  )
  const signed = sequence(
    tlv(0xa0, Buffer.from('020102', 'hex')),
    tlv(2, Buffer.of(1)),
    algorithm,
    sequence(...issuer),
    sequence(time(new Date('2020-01-01T00:00:00Z')), time(to)),
    sequence(...subject),
    key.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(constraints, ...extensions)),
  )
  return sequence(signed, algorithm, tlv(3, Buffer.of(0), sign('sha256', signed, by)))
}

function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, ...parts)
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [40 * first + second].flatMap((each) => base128(each))
  return tlv(6, Buffer.from([...bytes, ...rest.flatMap(base128)]))
}

function base128(value: number): readonly number[] {
  const digits = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [tlv(1, Buffer.of(255))] : []), tlv(4, value))
}

function commonName(text: string): Buffer {
  return attribute('2.5.4.3', text)
}

function attribute(id: string, text: string, tag = 0x0c): Buffer {
  return tlv(0x31, sequence(oid(id), tlv(tag, Buffer.from(text))))
}

/** GeneralizedTime. */
function time(at: Date): Buffer {
  return tlv(0x18, Buffer.from(at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')))
}
