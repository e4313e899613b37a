import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { issueClientCertificate, makeCa, type Ca } from '@causeway/pki'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSecrets } from './secrets.ts'
import type { HubSettings } from './settings.ts'

const day_ms = 86_400_000
const folders: string[] = []
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-secrets-'))
  folders.push(folder)
})

afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true })
})

/** As at the start of a hub on the folder. */
function open(fresh = false) {
  const values = { DATA_DIR: folder, HUB_NAME: 'Hub', FSP_HOST: '127.0.0.1' }
  return openSecrets(values as HubSettings, { fresh })
}

const fileOf = (name: string) => join(folder, 'secrets', name)
const read = (name: string) => readFileSync(fileOf(name), 'utf8')
const inDays = (days: number) => new Date(Date.now() + days * day_ms)

function caOf(): Ca {
  return { certificate: read('ca.pem'), key: read('ca.key') }
}

/** Puts a client certificate of the hub in place that ends in so many days. */
function endIn(days: number, ca = caOf()): string {
  const { certificate, key } = issueClientCertificate(ca, {
    subject: { commonName: 'Hub', organization: 'Hub' },
    validity: { from: inDays(-700), to: inDays(days) },
  })
  writeFileSync(fileOf('hub.pem'), certificate)
  writeFileSync(fileOf('hub.key'), key)
  return certificate
}

function daysLeft(name: string): number {
  return (Date.parse(new X509Certificate(read(name)).validTo) - Date.now()) / day_ms
}

function isVouchedFor(name: string): boolean {
  return new X509Certificate(read(name)).verify(new X509Certificate(read('ca.pem')).publicKey)
}

describe('at a start of the hub', () => {
  test('a certificate that lasts longer than 30 days stays as it is', async () => {
    await open()
    const before = endIn(30.01)
    await open()
    expect(read('hub.pem')).toBe(before)
  })

  test.each([29.99, 1, -1])(
    'a certificate that ends in %d days is replaced by one for two years',
    async (days) => {
      await open()
      const others = [read('ca.pem'), read('fsp-port.pem')]
      endIn(days)
      const oldKey = read('hub.key')
      await open()
      expect(daysLeft('hub.pem')).toBeGreaterThan(729)
      expect(isVouchedFor('hub.pem')).toBe(true)
      expect(read('hub.key')).not.toBe(oldKey)
      expect([read('ca.pem'), read('fsp-port.pem')]).toEqual(others)
    },
  )

  test('a CA that ends within 30 days is replaced with every certificate that it vouched for', async () => {
    await open()
    const subject = { commonName: 'Hub CA', organization: 'Hub' }
    const ending = makeCa({ subject, validity: { from: inDays(-3_620), to: inDays(29) } })
    writeFileSync(fileOf('ca.pem'), ending.certificate)
    writeFileSync(fileOf('ca.key'), ending.key)
    endIn(700, ending)
    const secrets = await open()
    await secrets.ofFsp('greenbank')
    expect(daysLeft('ca.pem')).toBeGreaterThan(3_649)
    expect(['hub.pem', 'fsp-port.pem', 'greenbank.pem'].map(isVouchedFor)).toEqual([
      true,
      true,
      true,
    ])
  })

  test('a certificate without its own key is replaced', async () => {
    await open()
    writeFileSync(fileOf('hub.key'), read('fsp-port.key'))
    await open()
    const key = read('hub.key')
    expect(key).not.toBe(read('fsp-port.key'))
    expect(isVouchedFor('hub.pem')).toBe(true)
  })

  test('a certificate that was written half is replaced', async () => {
    await open()
    writeFileSync(fileOf('hub.pem'), read('hub.pem').slice(0, 200))
    await open()
    expect(isVouchedFor('hub.pem')).toBe(true)
  })

  test('keys and passwords do not end, and stay as they are', async () => {
    await open()
    const names = ['hub-signing.key', 'audit-signing.key', 'auth-service.key', 'setup-secret']
    const before = names.map(read)
    const { operators } = await open()
    expect(names.map(read)).toEqual(before)
    expect(operators.firstPassword).toBeUndefined()
  })

  test('a fresh start replaces all of them', async () => {
    await open()
    const names = ['ca.pem', 'hub.pem', 'hub-signing.key', 'auth-service.key', 'setup-secret']
    const before = names.map(read)
    await open(true)
    for (const [at, name] of names.entries()) expect(read(name)).not.toBe(before[at])
  })

  test('only the user of the hub can read a secret', async () => {
    await open()
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700)
    expect(statSync(fileOf('hub.key')).mode & 0o777).toBe(0o600)
  })
})
