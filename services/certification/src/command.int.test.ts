import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createFsp, serveCallbacks } from '@causeway/fsp'
import { issueClientCertificate, makeCa } from '@causeway/pki'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { certify } from './command.ts'
import { cases } from './cases/index.ts'
import { openReference } from './reference.ts'
import type { CertificationReport } from './reports/report.ts'
import { NotTriggered, webhook } from './trigger.ts'

let folder: string
let lines: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certification-'))
  lines = []
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

const run = (...parameters: string[]) =>
  certify(['--report', join(folder, 'report'), ...parameters], (line) => lines.push(line))

async function readReport(): Promise<CertificationReport> {
  return JSON.parse(
    await readFile(join(folder, 'report/report.json'), 'utf8'),
  ) as CertificationReport
}

test('The command tests the reference FSP, prints each case, and writes the report in three forms', async () => {
  expect(await run('--fsp', 'reference', '--case', 'ilp', '--case', 'signature-made')).toBe(true)
  const { passed, failed, notRun, results } = await readReport()
  expect({ passed, failed, notRun }).toEqual({ passed: 7, failed: 0, notRun: 0 })
  expect(results[0]?.messages.length).toBeGreaterThan(0)
  expect(lines).toHaveLength(8)
  expect(await readFile(join(folder, 'report/report.xml'), 'utf8')).toContain('tests="7"')
  expect(await readFile(join(folder, 'report/report.html'), 'utf8')).toContain('7 passed')
})

test('The list names every case with its section, and runs none', async () => {
  expect(await run('--list')).toBe(true)
  expect(lines).toHaveLength(cases.length)
  expect(lines.every((line) => /^[A-Za-z0-9-]+\t\S.*\t[A-Z]/.test(line))).toBe(true)
})

test('A case that does not exist is refused', async () => {
  await expect(run('--fsp', 'reference', '--case', 'none')).rejects.toThrow('no case has such')
})

test('Without a trigger, keys and customers a case is not run, and the command does not succeed', async () => {
  const port = await freePort()
  const reference = await openReference({
    name: 'greenbank',
    hubUrl: `http://127.0.0.1:${port}`,
    resendAfter_ms: 200,
  })
  const chosen = ['payer-503', 'signature-missing', 'payee-amounts', 'dfsp-accounts']
  const own = ['--fsp', 'greenbank', '--callback', reference.callbackUrl, '--port', String(port)]
  const passed = await run(...own, ...chosen.flatMap((id) => ['--case', id]))
  await reference.stop()
  expect(passed).toBe(false)
  const { results } = await readReport()
  expect(results.map(({ state }) => state)).toEqual(results.map(() => 'notRun'))
  expect(results.map((result) => ('why' in result ? result.why : ''))).toEqual(
    expect.arrayContaining([
      expect.stringContaining('trigger'),
      expect.stringContaining('--signing-key'),
      expect.stringContaining('--party'),
      expect.stringContaining('--user'),
    ]),
  )
})

test('A webhook is asked for the action, and reports its outcome or that it cannot', async () => {
  const asked: unknown[] = []
  const replies = [
    { status: 200, body: '{"state":"COMMITTED"}' },
    { status: 202, body: '' },
    { status: 501, body: '' },
  ]
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      asked.push(JSON.parse(Buffer.concat(chunks).toString()))
      const { status, body } = replies.shift() ?? { status: 500, body: '' }
      response.writeHead(status).end(body)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const trigger = webhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/act`)
  const request = {
    case: 'dfsp-grant',
    role: 'dfsp',
    action: 'authenticate',
    consentRequestId: '1',
  } as const
  expect(await trigger(request)).toEqual({ state: 'COMMITTED' })
  expect(await trigger(request)).toEqual({})
  await expect(trigger(request)).rejects.toThrow(NotTriggered)
  expect(asked).toEqual([request, request, request])
  server.closeAllConnections()
  server.close()
})

interface Published {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly body: CertificationReport
}

/** An operator API that answers each request in this way. */
async function openHub(status: number, answer: object) {
  const received: Published[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as CertificationReport
      const { method, url, headers } = request
      received.push({ method, url, authorization: headers.authorization, body })
      response.writeHead(status).end(JSON.stringify(answer))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const short = ['--fsp', 'reference', '--case', 'ilp'] as const

test('With --publish the hub gets the report that is written, without messages, with the token of the file', async () => {
  const hub = await openHub(201, { id: 7 })
  const token = join(folder, 'token')
  await writeFile(token, 'secret\n')
  expect(await run(...short, '--publish', `${hub.url}/`, '--token-file', token)).toBe(true)
  hub.stop()
  const report = await readReport()
  const results = report.results.map((whole) => {
    const { messages: _, ...rest } = whole
    return rest
  })
  expect(hub.received).toEqual([
    {
      method: 'POST',
      url: '/participants/reference/certifications',
      authorization: 'Bearer secret',
      body: { ...report, results },
    },
  ])
  expect(lines.at(-1)).toBe(`published: ${hub.url}/participants/reference/certifications/7`)
})

test('A hub that does not store the report fails the command with its reason, and the report stays', async () => {
  const hub = await openHub(404, {
    errorInformation: { errorCode: '3200', errorDescription: 'Generic ID not found' },
  })
  const begin = `The report was not published to ${hub.url}`
  await expect(run(...short, '--publish', hub.url)).rejects.toThrow(
    `${begin}: it answered 404, 3200 Generic ID not found.`,
  )
  hub.stop()
  expect(hub.received.map(({ authorization }) => authorization)).toEqual([undefined])
  expect(await readReport()).toMatchObject({ failed: 0 })
  await expect(run(...short, '--publish', hub.url)).rejects.toThrow(begin)
})

test('With certificates the kit and the FSP speak over mutual TLS', async () => {
  const validity = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 3_600_000) }
  const ca = makeCa({
    subject: { commonName: 'Certification CA', organization: undefined },
    validity,
  })
  const names = { dns: [], ip: ['127.0.0.1'] }
  const kit = issueClientCertificate(ca, {
    subject: { commonName: 'Hub', organization: undefined },
    names,
    validity,
  })
  const bank = issueClientCertificate(ca, {
    subject: { commonName: 'bank', organization: undefined },
    names,
    validity,
  })
  const files = { ca: ca.certificate, certificate: kit.certificate, key: kit.key }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const port = await freePort()
  const fsp = createFsp({
    name: 'greenbank',
    hubUrl: `https://127.0.0.1:${port}`,
    secret: randomBytes(32),
    tls: { ca: ca.certificate, ...bank },
    onLookUp: () => ({ name: 'Amara Example' }),
  })
  const server = await serveCallbacks(fsp, {
    host: '127.0.0.1',
    port: 0,
    tls: { ca: ca.certificate, ...bank, client: 'Hub' },
  })
  const passed = await run(
    '--fsp=greenbank',
    `--callback=${server.url}`,
    `--port=${port}`,
    '--party=MSISDN/12025550101',
    '--case=payee-party',
    '--case=payee-amounts',
    `--tls-ca=${join(folder, 'ca')}`,
    `--tls-certificate=${join(folder, 'certificate')}`,
    `--tls-key=${join(folder, 'key')}`,
  )
  await fsp.close()
  await server.stop()
  expect(await readReport()).toMatchObject({ passed: 4, failed: 1, notRun: 0 })
  expect(passed).toBe(false)
})

/** So that the FSP can be given the address of its hub before the command runs. */
async function freePort(): Promise<number> {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  free.close()
  await once(free, 'close')
  return port
}
