import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCa } from '@causeway/pki'
import { StartError } from '@causeway/process'
import { credentialsService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { start } from './service.ts'
import { authSettings } from './testing/world.ts'

let parts: TestParts
let folder: string

beforeEach(async () => {
  parts = await openTestParts()
  folder = mkdtempSync(join(tmpdir(), 'causeway-auth-'))
})

afterEach(async () => {
  await parts.stop()
  rmSync(folder, { recursive: true })
})

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function newCa(to = new Date(Date.now() + 86_400_000)) {
  const validity = { from: new Date('2026-01-01T00:00:00Z'), to }
  return makeCa({ subject: { commonName: 'Scheme CA', organization: 'Hub' }, validity })
}

describe('the start fails with one sentence', () => {
  const settingsOf = (certificate: string, key: string) => ({
    AUTH_SERVICE_CA_CERTIFICATE_FILE: certificate,
    AUTH_SERVICE_CA_KEY_FILE: key,
  })

  test.each([
    [
      'without a secrets key',
      () => ({ AUTH_SERVICE_SECRETS_KEY: '' }),
      'AUTH_SERVICE_SECRETS_KEY is not set',
    ],
    [
      'with an invalid secrets key',
      () => ({ AUTH_SERVICE_SECRETS_KEY: 'secret' }),
      'AUTH_SERVICE_SECRETS_KEY is not 32 bytes',
    ],
    [
      'with half a CA',
      () => settingsOf(file('ca.pem', newCa().certificate), ''),
      'AUTH_SERVICE_CA_KEY_FILE is not set',
    ],
    [
      'with a missing CA',
      () => settingsOf(join(folder, 'none.pem'), join(folder, 'none.key')),
      'ENOENT: no such file or directory',
    ],
    [
      "with another CA's key",
      () => settingsOf(file('ca.pem', newCa().certificate), file('ca.key', newCa().key)),
      'its key does not belong to its certificate',
    ],
    [
      'with an expired CA',
      () => {
        const { certificate, key } = newCa(new Date('2026-01-02T00:00:00Z'))
        return settingsOf(file('ca.pem', certificate), file('ca.key', key))
      },
      'its certificate expired on',
    ],
  ])('%s', async (_, given, sentence) => {
    const refused = start(authSettings(given()), parts)
    await expect(refused).rejects.toThrow(sentence)
    await expect(refused).rejects.toThrow(StartError)
  })
})

test('With another secrets key than before the service does not start', async () => {
  const service = await start(authSettings(), parts)
  await service.stop()
  parts = await parts.restart()
  const other = { AUTH_SERVICE_SECRETS_KEY: randomBytes(32).toString('base64url') }
  await expect(start(authSettings(other), parts)).rejects.toThrow(StartError)
})

test('Without a CA the service starts and issues no certificates', async () => {
  const service = await start(authSettings(), parts)
  const credentials = parts.grpc.client(credentialsService, 'auth-service')
  expect(
    await credentials.IssueCertificate({ participant: 'greenbank', csr: 'x', actor: 'ada' }),
  ).toMatchObject({
    refusal: { reason: 'NO_CA' },
  })
  await service.stop()
})
