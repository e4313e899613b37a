import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSigning, type Signing } from '@causeway/fsp'
import { issueClientCertificate, makeCa } from '@causeway/pki'
import { openLog, readSettings, StartError } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Agent, request } from 'undici'
import { readFsps, usualFsps } from './fsps.ts'
import { start, type Sandbox } from './service.ts'
import { settings, type SandboxFspSettings } from './settings.ts'
import { openHubRelay, type HubRelay, type RelayTls } from './testing/hub-relay.ts'

const anyPort = { port: 0, callbackPort: 0 }
const silent = openLog({ name: 'test', level: 'silent' })
const validity = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 3_600_000) }
const ca = makeCa({ subject: { commonName: 'Scheme CA', organization: undefined }, validity })

let folder: string
let hub: HubRelay
let sandbox: Sandbox

/** Certificates for both sides of a connection, as the hub issues them to FSPs. */
function certified(commonName: string): RelayTls {
  const own = issueClientCertificate(ca, {
    subject: { commonName, organization: undefined },
    names: { dns: ['localhost'], ip: ['127.0.0.1'] },
    validity,
  })
  return { ...own, ca: ca.certificate }
}

function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function stored(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function settingsOf(values: Readonly<Record<string, string>>): SandboxFspSettings {
  return readSettings(settings, { sources: [{ origin: 'flag', values }], prefixes: [] }).values
}

/** In a folder of its own, as the secrets of a distributed hub are. */
function storeFiles(name: 'greenbank' | 'bluewallet'): void {
  const { certificate, key } = certified(name)
  mkdirSync(join(folder, name))
  stored(`${name}/tls.crt`, certificate)
  stored(`${name}/tls.key`, key)
  stored(`${name}/ca.crt`, ca.certificate)
  stored(`${name}/signing.pem`, newSigningKey())
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  const signing: Signing = await readSigning(newSigningKey())
  hub = await openHubRelay({ tls: certified('Hub'), signing })
  storeFiles('greenbank')
  storeFiles('bluewallet')
  const values = settingsOf({
    SANDBOX_FSPS_FILE: stored(
      'fsps.json',
      JSON.stringify({ greenbank: anyPort, bluewallet: anyPort }),
    ),
    SANDBOX_CREDENTIALS_DIR: folder,
    HUB_URL: hub.url,
  })
  sandbox = await start(values, await readFsps(values), silent)
  for (const bank of [sandbox.greenbank, sandbox.bluewallet]) {
    hub.know(bank.name, bank.callbackUrl)
    await eventually(async () => {
      const health = await fetch(`${bank.url}/health`)
      const { registered } = (await health.json()) as { registered: boolean }
      return registered ? true : undefined
    }, `the registration of ${bank.name}`)
  }
})

afterAll(async () => {
  await sandbox.stop()
  await hub.stop()
  rmSync(folder, { recursive: true })
})

async function put(tls: RelayTls | undefined, url: string): Promise<number> {
  const agent = new Agent({
    connect: tls === undefined ? { ca: ca.certificate } : { ...tls, cert: tls.certificate },
  })
  const headers = {
    'content-type': 'application/vnd.interoperability.transfers+json;version=1.1',
    date: new Date().toUTCString(),
    'fspiop-source': 'Hub',
    'fspiop-destination': 'greenbank',
  }
  const body = '{"transferState":"ABORTED","completedTimestamp":"2030-01-01T00:00:00.000Z"}'
  try {
    const answer = await request(url, { dispatcher: agent, method: 'PUT', headers, body })
    await answer.body.dump()
    return answer.statusCode
  } finally {
    await agent.destroy()
  }
}

const path = '/transfers/e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61'

test('A payment is signed by both FSPs, over mutual TLS', async () => {
  const answer = await fetch(`${sandbox.greenbank.url}/payments`, {
    method: 'POST',
    body: JSON.stringify({ to: 'bluewallet', amount: '11.01', currency: 'USD' }),
  })
  expect(await answer.json()).toMatchObject({ state: 'COMMITTED' })
  expect(sandbox.greenbank.callbackUrl).toMatch(/^https:.*\/callbacks$/)
  const withBody = hub.seen.filter(({ body }) => body.length > 0)
  expect(withBody.length).toBeGreaterThan(4)
  expect(withBody.filter(({ headers }) => headers['fspiop-signature'] === undefined)).toEqual([])
})

test('An FSP publishes its public key and nothing else of it', async () => {
  const answer = await fetch(`${sandbox.greenbank.url}/.well-known/jwks.json`)
  const { keys } = (await answer.json()) as { keys: readonly object[] }
  expect(keys.map((key) => Object.keys(key).sort())).toEqual([
    ['alg', 'e', 'kid', 'kty', 'n', 'use'],
  ])
})

test('An unsigned message is refused, whatever its sender', async () => {
  expect(await put(certified('Hub'), `${sandbox.greenbank.callbackUrl}${path}`)).toBe(400)
})

test('Only the hub may send callbacks', async () => {
  const url = `${sandbox.greenbank.callbackUrl}${path}`
  expect(await put(certified('bluewallet'), url)).toBe(403)
  const withoutCertificate = put(undefined, url).catch(() => 'cut off')
  expect(await withoutCertificate).toBe('cut off')
  expect(await put(undefined, `${sandbox.greenbank.url}/callbacks${path}`)).toBe(404)
})

test.each([
  ['a certificate', {}, 'greenbank.caFile in SANDBOX_FSPS_FILE is not set.'],
  ['a client id', { SANDBOX_IDENTITY: 'token' }, 'greenbank.clientId'],
  ['a signing key', { SANDBOX_IDENTITY: 'header' }, 'greenbank.signingKeyFile'],
])(
  'Without %s that it needs the sandbox does not start, and the error names it',
  async (_what, values, sentence) => {
    const started = start(settingsOf({ ...values, HUB_URL: hub.url }), usualFsps, silent)
    await expect(started).rejects.toThrow(StartError)
    await expect(started).rejects.toThrow(sentence)
  },
)
