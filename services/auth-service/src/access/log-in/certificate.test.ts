import { createPublicKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { makeCa, makeCsr, signCsr } from '@causeway/pki'
import { StartError } from '@causeway/process'
import { describe, expect, test } from '@jest/globals'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkCertificate } from './certificate.ts'
import { openAuthorities } from './certificates.ts'

const now = new Date()
const day_ms = 86_400_000
const validity = { from: new Date(now.getTime() - day_ms), to: new Date(now.getTime() + day_ms) }
const subject = { commonName: 'clearing', organization: 'Hub' }
const ca = makeCa({ subject: { commonName: 'operators CA', organization: 'Hub' }, validity })
const authorities = { operators: [new X509Certificate(ca.certificate)], services: [] }
const nonce = 'causeway-app-pem-auth:AAAA'

const keys = {
  'EC P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'EC P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  RSA: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
}

function certified(make: () => ReturnType<typeof keys.RSA>) {
  const { privateKey } = make()
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const request = makeCsr({ subject, key }).csr
  const certificate = signCsr(ca, { request, subject, names: { dns: [], ip: [] }, validity })
  return { certificate, key }
}

describe.each(Object.entries(keys))('a certificate with a key %s', (_kind, make) => {
  const { certificate, key } = certified(make)
  const signature = sign('sha256', Buffer.from(nonce), key).toString('base64')

  test('The certificate with its signature of the nonce names its subject', () => {
    expect(checkCertificate({ certificate, nonce, signature }, authorities, now)).toEqual({
      type: 'CERTIFIED',
      name: 'clearing',
      mayBePerson: true,
    })
  })

  test('A signature of another nonce, a changed one and none are refused', () => {
    const bytes = Buffer.from(signature, 'base64')
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    for (const proof of [
      { certificate, nonce: `${nonce}A`, signature },
      { certificate, nonce, signature: bytes.toString('base64') },
      { certificate, nonce, signature: '' },
    ]) {
      expect(checkCertificate(proof, authorities, now)).toMatchObject({ type: 'FAULTY' })
    }
  })
})

test('A certificate whose key is weak is refused, also from a known authority', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const request = { key: createPublicKey(key), names: { dns: [], ip: [] } }
  const certificate = signCsr(ca, { request, subject, names: { dns: [], ip: [] }, validity })
  const signature = sign('sha256', Buffer.from(nonce), key).toString('base64')
  expect(checkCertificate({ certificate, nonce, signature }, authorities, now)).toMatchObject({
    type: 'FAULTY',
    fault: 'its key is RSA of 1024 bits: at least 2048',
  })
})

test('What is no certificate is refused', () => {
  const proof = { certificate: 'no PEM', nonce, signature: '' }
  expect(checkCertificate(proof, authorities, now)).toMatchObject({ type: 'FAULTY', name: '' })
})

test('An authority that has ended certifies no longer', () => {
  const { certificate, key } = certified(keys['EC P-256'])
  const signature = sign('sha256', Buffer.from(nonce), key).toString('base64')
  const later = new Date(now.getTime() + 2 * day_ms)
  expect(checkCertificate({ certificate, nonce, signature }, authorities, later)).toMatchObject({
    fault: 'no authority for log-ins has issued it',
  })
})

describe('the files of the authorities', () => {
  const none = { AUTH_SERVICE_OPERATOR_CA_FILE: undefined, AUTH_SERVICE_SERVICE_CA_FILE: undefined }

  test('Without a file certificates are no log-in', async () => {
    expect(await openAuthorities(none)).toBeUndefined()
  })

  test('A file may contain several authorities and is read again at each log-in', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-authorities-'))
    const file = join(folder, 'operators.pem')
    writeFileSync(file, ca.certificate)
    const read = await openAuthorities({ ...none, AUTH_SERVICE_OPERATOR_CA_FILE: file })
    expect((await read?.())?.operators).toHaveLength(1)
    writeFileSync(file, `${ca.certificate}\n${ca.certificate}`)
    expect(await read?.()).toMatchObject({ operators: [{}, {}], services: [] })
    rmSync(folder, { recursive: true })
  })

  test.each([
    ['/does/not/exist.pem', /ENOENT/],
    [import.meta.filename, /contains no certificate/],
  ])('The start is refused with the file %s', async (file, fault) => {
    const settings = { ...none, AUTH_SERVICE_SERVICE_CA_FILE: file }
    const opened = openAuthorities(settings)
    await expect(opened).rejects.toThrow(StartError)
    await expect(opened).rejects.toThrow(fault)
  })
})
