import { request } from 'node:https'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueServerCertificate, makeCa } from '@causeway/pki'
import { readSettings } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { start } from './service.ts'
import { settings } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-door-'))
const certificateFile = join(folder, 'port.pem')
const keyFile = join(folder, 'port.key')
const validity = {
  from: new Date(Date.now() - 60_000),
  to: new Date(Date.now() + 86_400_000),
}
const ca = makeCa({ subject: { commonName: 'CA', organization: 'Hub' }, validity })

let parts: TestParts

beforeAll(async () => {
  parts = await openTestParts()
  writePair('first')
})

afterAll(async () => {
  await parts.stop()
  rmSync(folder, { recursive: true })
})

function writePair(commonName: string): void {
  const subject = { commonName, organization: 'Hub' }
  const names = { dns: ['localhost'], ip: ['127.0.0.1'] }
  const { certificate, key } = issueServerCertificate(ca, { subject, names, validity })
  writeFileSync(certificateFile, certificate)
  writeFileSync(keyFile, key)
}

function valuesOf(given: Readonly<Record<string, string>>) {
  const values = { OPERATOR_PORT: '0', ...given }
  return readSettings(settings, { sources: [{ origin: 'flag', values }], prefixes: [] }).values
}

const onTls = () =>
  valuesOf({
    OPERATOR_TLS: 'on',
    OPERATOR_TLS_CERTIFICATE_FILE: certificateFile,
    OPERATOR_TLS_KEY_FILE: keyFile,
    TLS_RENEWAL_MS: '100',
  })

/** Headers of an answer, and the name in the certificate of the port. */
function ask(url: string): Promise<{ readonly headers: object; readonly name: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/openapi.json`, { ca: ca.certificate, agent: false }, (answer) => {
      const { CN: name } = (
        answer.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }
      ).getPeerCertificate().subject
      answer.resume()
      resolve({ headers: answer.headers, name })
    })
    asked.once('error', reject)
    asked.end()
  })
}

test.each(['0.0.0.0', '::', '192.0.2.1', 'hub.example', '127.0.0.1.example'])(
  'Without TLS, and without a gateway that is named, it does not listen on %s',
  async (OPERATOR_HOST) => {
    await expect(start(valuesOf({ OPERATOR_HOST }), parts)).rejects.toThrow(
      `OPERATOR_HOST=${OPERATOR_HOST} is reachable from other machines, and OPERATOR_TLS=off`,
    )
  },
)

test('Without the files of its certificate it does not start', async () => {
  await expect(start(valuesOf({ OPERATOR_TLS: 'on' }), parts)).rejects.toThrow(
    'OPERATOR_TLS_CERTIFICATE_FILE',
  )
})

test('The port is https, tells browsers to stay so, and takes a new certificate while it runs', async () => {
  const admin = await start(onTls(), parts)
  expect(admin.url).toMatch(/^https:/)
  const { headers, name } = await ask(admin.url)
  expect(name).toBe('first')
  expect(headers).toMatchObject({
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
  })
  writePair('second')
  await eventually(
    async () => (await ask(admin.url)).name === 'second',
    'the port presents the new certificate',
  )
  await admin.stop()
})

test('Behind a gateway it listens on all addresses in plain http where that is accepted, and says so', async () => {
  const gateway = { OPERATOR_TLS: 'gateway', OPERATOR_HOST: '0.0.0.0' }
  await expect(start(valuesOf(gateway), parts)).rejects.toThrow(
    'or state ACCEPT_RELAXATIONS=OPERATOR_TLS=gateway.',
  )
  const ACCEPT_RELAXATIONS = 'OPERATOR_TLS=gateway'
  const admin = await start(valuesOf({ ...gateway, ACCEPT_RELAXATIONS }), parts)
  const answer = await fetch(`${admin.url.replace('0.0.0.0', '127.0.0.1')}/openapi.json`)
  expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
  const { checks } = await parts.health.readiness()
  expect(checks.map(({ name }) => name)).toContain('insecure mode of admin: OPERATOR_TLS=gateway')
  await admin.stop()
})

test.each([
  ['in one process on a public address', true, '192.0.2.1'],
  ['where services run apart, on any address', false, '127.0.0.1'],
])(
  'One operator alone may change everything only where that is accepted: %s',
  async (_where, isSole, OPERATOR_HOST) => {
    const apart = { ...parts, shared: { ...parts.shared, isSole } }
    const given = { OPERATOR_HOST, FOUR_EYES: 'optional', OPERATOR_TLS: 'gateway' }
    const refused = start(valuesOf({ ...given, ACCEPT_RELAXATIONS: 'OPERATOR_TLS=gateway' }), apart)
    await expect(refused).rejects.toThrow('or state ACCEPT_RELAXATIONS=FOUR_EYES=optional.')
  },
)

test('The page of the API may be in no frame, and nothing else than its own files is loaded', async () => {
  const admin = await start(valuesOf({}), parts)
  const { headers } = await fetch(`${admin.url}/docs`)
  const policy = headers.get('content-security-policy') ?? ''
  for (const rule of ["default-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"]) {
    expect(policy).toContain(rule)
  }
  expect(headers.get('strict-transport-security')).toBeNull()
  await admin.stop()
})
