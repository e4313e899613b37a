import { describe, expect, test } from '@jest/globals'
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
} from 'node:crypto'
import {
  faultOfCa,
  issueClientCertificate,
  issueServerCertificate,
  makeCa,
  makeCsr,
  readCsr,
  readSubject,
  signCsr,
} from './index.ts'
import { toPem } from './der.ts'

const now = new Date()
const day_ms = 86_400_000
const validity = { from: new Date(now.getTime() - day_ms), to: new Date(now.getTime() + day_ms) }
const subject = { commonName: 'greenbank', organization: 'Hub' }
const none = { dns: [], ip: [] }

const ca = makeCa({ subject: { commonName: 'Test scheme CA', organization: 'Hub' }, validity })
const clientAuth = '1.3.6.1.5.5.7.3.2'
const serverAuth = '1.3.6.1.5.5.7.3.1'

function pem(key: 'rsa' | 'ec' | 'small' | 'p384' | 'ed25519'): string {
  const pair = {
    rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    small: () => generateKeyPairSync('rsa', { modulusLength: 1024 }),
    ec: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    p384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    ed25519: () => generateKeyPairSync('ed25519'),
  }[key]()
  return pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

describe('an authority', () => {
  test('An authority certifies servers and clients but no further authorities', () => {
    const x509 = new X509Certificate(ca.certificate)
    expect(x509.ca).toBe(true)
    expect(x509.verify(x509.publicKey)).toBe(true)
    expect(faultOfCa(ca, now)).toBeUndefined()
    const { certificate } = issueClientCertificate(ca, { subject, validity })
    expect(new X509Certificate(certificate).ca).toBe(false)
  })

  test.each([
    ['no certificate', { ...ca, certificate: 'x' }, 'its certificate is not a certificate in PEM'],
    ['no key', { ...ca, key: 'x' }, 'its key is not a private key in PEM'],
    ['the key of another', { ...ca, key: pem('ec') }, 'its key does not belong to its certificate'],
    [
      'a client',
      issueClientCertificate(ca, { subject, validity }),
      'its certificate is not that of a certificate authority',
    ],
  ])('An authority with %s is rejected', (_, given, fault) => {
    expect(faultOfCa(given, now)).toBe(fault)
  })

  test('An expired authority is rejected', () => {
    expect(faultOfCa(ca, validity.to)).toContain('its certificate expired on')
  })

  test('No issued certificate outlives its authority', () => {
    const to = new Date(now.getTime() + 9 * day_ms)
    const { certificate } = issueClientCertificate(ca, { subject, validity: { ...validity, to } })
    expect(new X509Certificate(certificate).validTo).toBe(
      new X509Certificate(ca.certificate).validTo,
    )
  })

  test('Serial numbers of certificates never repeat', () => {
    const serials = Array.from({ length: 20 }, () => {
      const { certificate } = issueClientCertificate(ca, { subject, validity })
      return new X509Certificate(certificate).serialNumber
    })
    expect(new Set(serials).size).toBe(20)
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9A-F]{31}$/)
  })
})

describe('a certificate for a request', () => {
  test.each(['rsa', 'ec', 'p384'] as const)(
    'A certificate for a request names the given subject, with key %s',
    (kind) => {
      const { csr, key } = makeCsr({ subject: { ...subject, commonName: 'evil' }, key: pem(kind) })
      const certificate = signCsr(ca, {
        request: csr,
        subject,
        names: none,
        validity,
      })
      const x509 = new X509Certificate(certificate)
      expect(readSubject(certificate)).toEqual(subject)
      expect(x509.checkIssued(new X509Certificate(ca.certificate))).toBe(true)
      expect(x509.toString()).toContain('BEGIN CERTIFICATE')
      expect(x509.keyUsage).toEqual([clientAuth])
      expect(x509.subjectAltName).toBeUndefined()
      const known = new X509Certificate(certificate).publicKey.export({
        type: 'spki',
        format: 'pem',
      })
      const again = makeCsr({ subject, key })
      const read = readCsr(again.csr)
      expect('key' in read && read.key.export({ type: 'spki', format: 'pem' })).toBe(known)
    },
  )

  test('A certificate is valid as a server for exactly the names that it is given', () => {
    const asked = { dns: ['a.example', 'b.example'], ip: ['192.0.2.7', '2001:db8::7'] }
    const { csr } = makeCsr({ subject, names: asked })
    expect(readCsr(csr)).toMatchObject({ names: asked })
    const names = { dns: ['a.example'], ip: ['192.0.2.7'] }
    const x509 = new X509Certificate(signCsr(ca, { request: csr, subject, names, validity }))
    expect(x509.keyUsage).toEqual([clientAuth, serverAuth])
    expect(x509.subjectAltName).toBe('DNS:a.example, IP Address:192.0.2.7')
  })

  test.each([
    ['RSA in PKCS #1', 'rsa', 'pkcs1'],
    ['EC in SEC 1', 'p384', 'sec1'],
  ] as const)(
    'A certificate for a request is signed by an authority whose key is %s',
    (_, kind, type) => {
      const { certificate, key } = makeCa({ subject, validity, key: pem(kind) })
      const authority = {
        certificate,
        key: String(createPrivateKey(key).export({ type, format: 'pem' })),
      }
      expect(faultOfCa(authority, now)).toBeUndefined()
      const { csr } = makeCsr({ subject })
      const issued = signCsr(authority, { request: csr, subject, names: none, validity })
      expect(new X509Certificate(issued).verify(createPublicKey(key))).toBe(true)
    },
  )
})

/** Made by OpenSSL 3; requests host names and an e-mail address. */
const foreign = `-----BEGIN CERTIFICATE REQUEST-----
MIIBOzCB4gIBADA0MQswCQYDVQQGEwJYWDETMBEGA1UECgwKR3JlZW4gQmFuazEQ
MA4GA1UEAwwHd2hvZXZlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLCuoDAJ
hKSPWODq7/hpgW3CvhrsR/x7EeR5KSjyosg2U0Y7k70K9Rdw1jZdGoOZ2tXaIbJr
CVWMbH+E0i4TfkqgTDBKBgkqhkiG9w0BCQ4xPTA7MDkGA1UdEQQyMDCCG0NhbGxi
YWNrcy5HcmVlbmJhbmsuZXhhbXBsZYcEwAACB4ELYUBiLmV4YW1wbGUwCgYIKoZI
zj0EAwIDSAAwRQIhANWWipIfbicwkX9v3VI2Pln7FLPqw9KRvOgtan/IS5RlAiAY
xg3tNJiEseCIRFhWf3e+C667oAUqdIJNl+Yh6WgEtg==
-----END CERTIFICATE REQUEST-----
`
const overSha1 = `-----BEGIN CERTIFICATE REQUEST-----
MIHEMG4CAQAwDDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BLCuoDAJhKSPWODq7/hpgW3CvhrsR/x7EeR5KSjyosg2U0Y7k70K9Rdw1jZdGoOZ
2tXaIbJrCVWMbH+E0i4TfkqgADAJBgcqhkjOPQQBA0cAMEQCIHhZJz9IDrpxk4p1
KiiWK3OyPttNV1AOdYb5HQ8FJNWQAiAKWuTLUeqtuHqcHdcbBl6WmYShr2oUSrBk
Q17XaGd2RQ==
-----END CERTIFICATE REQUEST-----
`
const wildcard = `-----BEGIN CERTIFICATE REQUEST-----
MIH3MIGfAgEAMAwxCjAIBgNVBAMMAXgwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AASwrqAwCYSkj1jg6u/4aYFtwr4a7Ef8exHkeSko8qLINlNGO5O9CvUXcNY2XRqD
mdrV2iGyawlVjGx/hNIuE35KoDEwLwYJKoZIhvcNAQkOMSIwIDAeBgNVHREEFzAV
ghMqLmdyZWVuYmFuay5leGFtcGxlMAoGCCqGSM49BAMCA0cAMEQCIAp4WlfA9j6u
m9d7d4HRJpwbZiy2dEPR12B0457ru6VzAiAHNkZp0fALhvvMJ2BsAZ1zpJcJyURb
85o7xmDmIbMnkQ==
-----END CERTIFICATE REQUEST-----
`

describe('a request', () => {
  test('A request of OpenSSL is read without its subject', () => {
    expect(readCsr(foreign)).toMatchObject({
      names: { dns: ['callbacks.greenbank.example'], ip: ['192.0.2.7'] },
    })
    const certificate = signCsr(ca, { request: foreign, subject, names: none, validity })
    expect(readSubject(certificate)).toEqual(subject)
  })

  test.each([
    ['no PEM', 'x', 'not a PEM CERTIFICATE REQUEST'],
    ['a certificate', ca.certificate, 'not a PEM CERTIFICATE REQUEST'],
    ['a private key', foreign + ca.key, 'contains a private key: it is compromised'],
    ['too long', `${foreign}${' '.repeat(16_384)}`, 'longer than 16384 characters'],
    ['cut off', foreign.replace('hKSP', ''), 'not a valid certificate request (PKCS #10)'],
    ['signed over SHA-1', overSha1, 'its signature does not verify'],
    ['for every host of a domain', wildcard, '*.greenbank.example is not the name of one host'],
    ['for a weak key', makeCsr({ subject, key: pem('small') }).csr, 'its key is RSA of 1024 bits'],
    [
      'for too many hosts',
      makeCsr({ subject, names: { dns: Array.from({ length: 21 }, (_, n) => `h${n}`), ip: [] } })
        .csr,
      'more than 20 host names',
    ],
  ])('A request that is %s is refused with a description', (_, request, fault) => {
    expect(readCsr(request)).toEqual({ fault: expect.stringContaining(fault) })
    expect(() => signCsr(ca, { request, subject, names: none, validity })).toThrow(fault)
  })

  test('A request with any modified signed byte is refused', () => {
    const der = Buffer.from(foreign.replace(/-----[^-]+-----|\n/g, ''), 'base64')
    const signed = { from: 4, to: 4 + 3 + der.readUInt8(6) }
    for (let at = signed.from; at < signed.to; at += 1) {
      const changed = Buffer.from(der)
      changed.writeUInt8(changed.readUInt8(at) ^ 0x01, at)
      const body = changed.toString('base64')
      const request = `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`
      expect([at, 'fault' in readCsr(request)]).toEqual([at, true])
    }
  })
})

test('A server certificate names its hosts and is not valid for a client', () => {
  const names = { dns: ['localhost'], ip: ['127.0.0.1'] }
  const { certificate } = issueServerCertificate(ca, { subject, names, validity })
  const x509 = new X509Certificate(certificate)
  expect(x509.keyUsage).toEqual([serverAuth])
  expect(x509.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1')
  expect(() => issueServerCertificate(ca, { subject, names: none, validity })).toThrow('one host')
})

test.each([
  [{ dns: ['a b'], ip: [] }, 'a b is not a host name'],
  [{ dns: ['*.a.example'], ip: [] }, '*.a.example is not a host name'],
  [{ dns: [], ip: ['a.example'] }, 'a.example is not an IP address'],
])('The invalid hosts %j are refused', (names, fault) => {
  expect(() => issueClientCertificate(ca, { subject, names, validity })).toThrow(fault)
})

test('A name that a certificate cannot contain is refused', () => {
  for (const commonName of ['', 'x'.repeat(65)]) {
    expect(() => makeCsr({ subject: { ...subject, commonName } })).toThrow('1 to 64 characters')
  }
})

test('Reading a subject does not break TLS in its process', async () => {
  expect(readSubject(ca.certificate)?.commonName).toBe('Test scheme CA')
  const { createSecureContext } = await import('node:tls')
  expect(typeof createSecureContext).toBe('function')
})

test('A certificate whose key cannot be read has no subject', () => {
  const { certificate } = issueClientCertificate(ca, { subject, validity })
  const der = Buffer.from(certificate.replaceAll(/-----[^-]+-----/g, ''), 'base64')
  // The last byte of id-ecPublicKey, 1.2.840.10045.2.1.
  const ecPublicKey = Buffer.from('06072a8648ce3d0201', 'hex')
  der[der.indexOf(ecPublicKey) + ecPublicKey.length - 1] = 0x7f
  expect(readSubject(toPem('CERTIFICATE', der))).toBeUndefined()
})

test('An invalid certificate has no subject', () => {
  expect(readSubject('x')).toBeUndefined()
})
