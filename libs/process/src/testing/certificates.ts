/** Certificates for tests of TLS: an authority, and whom it vouches for. RFC 5280. */
import {
  createPrivateKey,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'

/** PEM. */
export interface TestCertificate {
  readonly certificate: string
  readonly key: string
}

export interface TestCa extends TestCertificate {
  /** For the host 127.0.0.1 as a server, and for any client. */
  issue(name: string, valid?: { readonly until: Date }): TestCertificate
}

const minute_ms = 60_000

/** @param key of an authority of that name that is there already, PEM */
export function makeTestCa(name: string, key?: string): TestCa {
  const privateKey =
    key === undefined
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      : createPrivateKey(key)
  const publicKey = createPublicKey(privateKey)
  const until = new Date(Date.now() + 60 * minute_ms)
  const isCa = extension('551d13', sequence(tlv(0x01, Buffer.from([0xff]))))
  return {
    certificate: certify({ subject: name, publicKey, until, extensions: [isCa] }, name, privateKey),
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    issue(subject, valid = { until }) {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const address = extension('551d11', sequence(tlv(0x87, Buffer.from([127, 0, 0, 1]))))
      const content = { subject, publicKey: own.publicKey, ...valid, extensions: [address] }
      return {
        certificate: certify(content, name, privateKey),
        key: String(own.privateKey.export({ type: 'pkcs8', format: 'pem' })),
      }
    },
  }
}

interface Content {
  readonly subject: string
  readonly publicKey: KeyObject
  readonly until: Date
  readonly extensions: readonly Buffer[]
}

/** ecdsa-with-SHA256. */
const algorithm = sequence(objectId('2a8648ce3d040302'))

function certify(content: Content, issuer: string, key: KeyObject): string {
  const { subject, publicKey, until, extensions } = content
  const version3 = tlv(0xa0, tlv(0x02, Buffer.from([2])))
  const serial = tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)]))
  const begin = new Date(Math.min(Date.now(), until.getTime()) - minute_ms)
  const signed = sequence(
    version3,
    serial,
    algorithm,
    nameOf(issuer),
    sequence(time(begin), time(until)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions)),
  )
  const signature = createSign('sha256').update(signed).sign(key)
  const der = sequence(signed, algorithm, tlv(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function nameOf(commonName: string): Buffer {
  const attribute = sequence(objectId('550403'), tlv(0x0c, Buffer.from(commonName)))
  return sequence(tlv(0x31, attribute))
}

function time(at: Date): Buffer {
  return tlv(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`))
}

/** Critical. */
function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), tlv(0x01, Buffer.from([0xff])), tlv(0x04, value))
}

function objectId(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'))
}

function sequence(...items: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(items))
}

function tlv(tag: number, value: Buffer): Buffer {
  const { length } = value
  // As short as can be: some parsers refuse another encoding.
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), value])
}
