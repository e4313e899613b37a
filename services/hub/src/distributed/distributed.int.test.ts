import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { request } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openGateway, type Gateway } from './gateway.ts'
import { makeSecrets } from './make-secrets.ts'

const values = {
  SECRETS_DIR: mkdtempSync(join(tmpdir(), 'causeway-secrets-')),
  SECRETS_OWNER: undefined,
  SECRETS_FSP_HOSTS: 'fsp.hub.example,fspiop-api',
  SECRETS_OPERATOR_HOSTS: 'localhost',
  SECRETS_SANDBOX_HOSTS: 'sandbox-fsp',
  HUB_NAME: 'Hub',
}
const lines: string[] = []
const destination = { write: (line: string) => void lines.push(line) }
const log = openLog({ name: 'test', level: 'info', destination })
const path = (...place: string[]) => join(values.SECRETS_DIR, ...place)
const text = (...place: string[]) => readFileSync(path(...place), 'utf8')
const certificate = (...place: string[]) => new X509Certificate(text(...place))

beforeAll(() => makeSecrets(values))
afterAll(() => rmSync(values.SECRETS_DIR, { recursive: true, force: true }))

describe('the secrets of a hub whose services run apart', () => {
  test('The secrets of a distributed hub stay the same when they are made again', async () => {
    const all = () =>
      readdirSync(values.SECRETS_DIR, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => [
          parentPath,
          name,
          readFileSync(join(parentPath, name), 'utf8'),
        ])
    const before = all()
    await makeSecrets(values)
    expect(all()).toEqual(before)
  })

  test('The certificates name each service as the others call it', () => {
    expect(certificate('transfers', 'grpc', 'tls.crt').subject).toContain('CN=transfers')
    expect(certificate('transfers', 'grpc', 'tls.crt').checkHost('transfers')).toBe('transfers')
  })

  test.each(['greenbank', 'bluewallet', 'amberpay', 'lemonpay'])(
    'The secrets of the sandbox participants exist for %s',
    (name) => {
      expect(certificate('sandbox-fsp', name, 'tls.crt').subject).toContain(`CN=${name}`)
      const key = createPrivateKey(text('sandbox-fsp', name, 'signing.pem'))
      expect(key.asymmetricKeyType).toBe('rsa')
    },
  )

  test('The certificate of the FSP port names the hosts under which FSPs reach it', () => {
    const port = certificate('fspiop-api', 'fsp-port', 'tls.crt')
    expect(port.checkHost('fsp.hub.example')).toBe('fsp.hub.example')
  })

  test('No FSP can call a service, and no service can call as an operator', () => {
    const services = certificate('transfers', 'grpc', 'ca.crt').publicKey
    const operators = certificate('admin', 'operator-port', 'ca.crt').publicKey
    expect(certificate('transfers', 'grpc', 'tls.crt').verify(services)).toBe(true)
    expect(certificate('sandbox-fsp', 'greenbank', 'tls.crt').verify(services)).toBe(false)
    expect(certificate('transfers', 'grpc', 'tls.crt').verify(operators)).toBe(false)
  })

  test('Secrets are readable for their owner only', () => {
    const found = readdirSync(path('auth-service'))
    expect(found.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'administrator2',
      'component',
      'grpc',
      'operators',
      'scheme-ca',
      'seal',
    ])
    expect(text('auth-service', 'seal', 'AUTH_SERVICE_SECRETS_KEY')).toHaveLength(43)
    expect(text('config', 'seal', 'CONFIG_SECRETS_KEY')).toHaveLength(43)
  })

  test('The first passwords of the two administrators are in folders of their own', () => {
    expect(readdirSync(path('auth-service', 'operators'))).not.toContain('administrator2-password')
    expect(readdirSync(path('auth-service', 'administrator2'))).toEqual(['administrator2-password'])
  })

  test('Each service has a key of its own to sign with as a component', () => {
    const keyOf = (service: string) => text(service, 'component', 'private.pem')
    expect(createPrivateKey(keyOf('quoting')).asymmetricKeyType).toBe('ec')
    expect(keyOf('quoting')).not.toBe(keyOf('transfers'))
  })
})

describe('the operator gateway', () => {
  let api: Server
  let gateway: Gateway

  beforeAll(async () => {
    api = createServer((asked, response) => response.end(`you asked for ${asked.url ?? ''}`))
    api.listen(0, '127.0.0.1')
    await once(api, 'listening')
    gateway = await openGateway(
      {
        OPERATOR_GATEWAY_HOST: '127.0.0.1',
        OPERATOR_GATEWAY_PORT: 0,
        OPERATOR_GATEWAY_TLS_CERTIFICATE_FILE: path('admin', 'operator-port', 'tls.crt'),
        OPERATOR_GATEWAY_TLS_KEY_FILE: path('admin', 'operator-port', 'tls.key'),
        OPERATOR_GATEWAY_TLS_CA_FILE: path('admin', 'operator-port', 'ca.crt'),
        OPERATOR_PORT: (api.address() as AddressInfo).port,
      },
      log,
    )
  })
  afterAll(async () => {
    await gateway.stop()
    api.close()
  })

  /** `who`: a folder with the client certificate, or none. */
  function ask(who: readonly string[] | undefined): Promise<string> {
    const shown =
      who === undefined ? {} : { cert: text(...who, 'tls.crt'), key: text(...who, 'tls.key') }
    return new Promise((resolve, reject) => {
      const { port } = gateway
      const ca = text('operator', 'operator-client', 'ca.crt')
      const options = { host: 'localhost', port, ca, path: '/participants', agent: false, ...shown }
      request(options, (answer) => {
        let body = ''
        answer.on('data', (part: Buffer) => (body += part.toString()))
        answer.on('end', () => resolve(body))
      })
        .on('error', reject)
        .end()
    })
  }

  test('An operator with a certificate reaches the administration API', async () => {
    expect(await ask(['operator', 'operator-client'])).toBe('you asked for /participants')
  })

  test('A connection without a certificate is refused', async () => {
    await expect(ask(undefined)).rejects.toThrow(/certificate required|ECONNRESET|socket hang up/)
  })

  test('The certificates of services and of FSPs are refused', async () => {
    const refused = /unknown ca|alert|ECONNRESET|socket hang up/
    await expect(ask(['transfers', 'grpc'])).rejects.toThrow(refused)
    await expect(ask(['sandbox-fsp', 'greenbank'])).rejects.toThrow(refused)
  })

  test('A refused connection is logged, but not a probe that sends nothing', async () => {
    const refusals = () =>
      lines.filter((line) => line.includes('connection refused: no valid certificate'))
    lines.length = 0
    const probe = connect({ host: '127.0.0.1', port: gateway.port }).end()
    await once(probe, 'close')
    await expect(ask(undefined)).rejects.toThrow(/certificate required|ECONNRESET|socket hang up/)
    const logged = await eventually(
      () => (refusals().length > 0 ? refusals() : undefined),
      'a line',
    )
    expect(logged).toEqual([expect.stringContaining('certificate')])
  })
})
