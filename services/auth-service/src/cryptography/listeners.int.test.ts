import { makeCa, readCsr, type Ca } from '@causeway/pki'
import type { KeyDefinitionUsage } from '@causeway/protos'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { actor, define, openWorld, outcomeOf, type CryptographyWorld } from './testing/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-listeners-'))
const host = 'fsp-port.hub.example'
let ca: Ca
let world: CryptographyWorld

beforeAll(async () => {
  const now_ms = Date.now()
  ca = makeCa({
    subject: { commonName: 'Scheme CA', organization: undefined },
    validity: { from: new Date(now_ms - 60_000), to: new Date(now_ms + 86_400_000) },
  })
  const files = { certificate: join(folder, 'ca.pem'), key: join(folder, 'ca.key') }
  writeFileSync(files.certificate, ca.certificate)
  writeFileSync(files.key, ca.key)
  world = await openWorld({
    AUTH_SERVICE_CA_CERTIFICATE_FILE: files.certificate,
    AUTH_SERVICE_CA_KEY_FILE: files.key,
  })
}, 60_000)

afterAll(async () => {
  await world.stop()
  rmSync(folder, { recursive: true })
})

async function newPem(hosts: string[] = [host], usage: KeyDefinitionUsage = 'TLS') {
  const keyDefinitionId = await define(world.keys, usage, 'EC')
  return world.keys.GeneratePem({
    requestId: randomUUID(),
    keyDefinitionId,
    actor,
    commonName: 'FSP port',
    organization: 'Hub',
    hosts,
  })
}

describe('a key pair with a certificate', () => {
  test('The certificate is of the key, for the hosts, from the CA of the scheme, for a server only', async () => {
    const { key } = await newPem([host, '127.0.0.1'])
    const x509 = new X509Certificate(key?.certificate ?? '')
    expect(x509.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true)
    expect(x509.publicKey.export({ type: 'spki', format: 'pem' })).toBe(key?.publicKey)
    expect(x509.subjectAltName).toBe(`DNS:${host}, IP Address:127.0.0.1`)
    expect(x509.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(readCsr(key?.csr ?? '')).toMatchObject({ names: { dns: [host], ip: ['127.0.0.1'] } })
  })

  test('Without hosts there is a request and no certificate', async () => {
    const { key } = await newPem([])
    expect([key?.certificate, readCsr(key?.csr ?? '')]).toMatchObject([
      undefined,
      { names: { dns: [] } },
    ])
  })

  test.each<[string, string[], KeyDefinitionUsage, string]>([
    ['a wildcard', ['*.hub.example'], 'TLS', 'INVALID'],
    ['21 hosts', Array.from({ length: 21 }, (_, at) => `h${at}.example`), 'TLS', 'INVALID'],
    ['a definition to wrap', [host], 'WRAP', 'KEY_USAGE_WRONG'],
    ['a definition to sign', [host], 'SIGN', 'KEY_USAGE_WRONG'],
  ])('A key pair with %s is refused', async (_, hosts, usage, reason) => {
    expect(outcomeOf(await newPem(hosts, usage))).toBe(reason)
  })
})

describe('the certificate of a listener', () => {
  test('The edge gets the certificate with its private key; a later one replaces it', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { key } = await newPem()
      const certificatePem = key?.certificate ?? ''
      const set = { host, keyId: key?.keyId ?? '', certificatePem, actor }
      const { validTo } = await world.keys.SetListenerCertificate(set)
      const x509 = new X509Certificate(certificatePem)
      expect(validTo).toBe(new Date(x509.validTo).toISOString())
      const { listeners } = await world.keys.GetListenerCertificates({})
      expect(listeners).toMatchObject([{ host, certificatePem }])
      expect(x509.checkPrivateKey(createPrivateKey(listeners[0]?.privateKeyPem ?? ''))).toBe(true)
    }
  })

  test('A certificate that does not fit key, host and time is refused', async () => {
    const [{ key: own }, { key: other }] = [await newPem(), await newPem()]
    const set = { host, keyId: own?.keyId ?? '', certificatePem: own?.certificate ?? '', actor }
    const expired = makeCa({
      subject: { commonName: host, organization: undefined },
      validity: { from: new Date(0), to: new Date(86_400_000) },
    })
    const refused = [
      { certificatePem: 'junk' },
      { certificatePem: other?.certificate ?? '' },
      { certificatePem: expired.certificate },
      { certificatePem: `${set.certificatePem}${expired.key}` },
      { host: 'other.example' },
      { host: 'No host' },
      { keyId: randomUUID() },
      { keyId: await world.newKey('ENCRYPT', 'AES') },
      { keyId: await world.newKey('SIGN', 'EC') },
    ].map(async (changed) =>
      outcomeOf(await world.keys.SetListenerCertificate({ ...set, ...changed })),
    )
    expect(await Promise.all(refused)).toEqual([
      'CERTIFICATE_INVALID',
      'CERTIFICATE_INVALID',
      'CERTIFICATE_INVALID',
      'CERTIFICATE_INVALID',
      'CERTIFICATE_INVALID',
      'INVALID',
      'KEY_UNKNOWN',
      'KEY_USAGE_WRONG',
      'KEY_USAGE_WRONG',
    ])
  })

  test('Its key signs nothing for a caller', async () => {
    const { key } = await newPem()
    const asked = { keyId: key?.keyId ?? '', digest: Buffer.alloc(32, 1) }
    expect(outcomeOf(await world.calls.GenerateSignature(asked))).toBe('KEY_USAGE_WRONG')
  })
})
