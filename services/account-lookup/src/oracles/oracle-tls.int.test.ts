/** Oracles over https, with a CA and a client certificate of the hub's own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueClientCertificate, issueServerCertificate, makeCa } from '@causeway/pki'
import { oraclesService } from '@causeway/protos'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { gist, openWorld, partyQuery } from '../testing/world.ts'
import { proposal } from './testing/world.ts'

const hour_ms = 3_600_000
const validity = { from: new Date(Date.now() - hour_ms), to: new Date(Date.now() + hour_ms) }
const named = (commonName: string) => ({ commonName, organization: undefined })
const ca = makeCa({ subject: named('Oracle CA'), validity })
const own = issueClientCertificate(ca, { subject: named('Hub'), validity })

let folder: string
let oracle: Server
/** Common names of the clients whose certificates verified; '' for one without. */
let clients: string[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oracle-tls-'))
  const files = { 'ca.crt': ca.certificate, 'hub.crt': own.certificate, 'hub.key': own.key }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const names = { dns: ['localhost'], ip: ['127.0.0.1'] }
  const { certificate: cert, key } = issueServerCertificate(ca, {
    subject: named('oracle'),
    names,
    validity,
  })
  const tls = { cert, key, ca: ca.certificate, requestCert: true, rejectUnauthorized: false }
  oracle = createServer(tls, ({ socket }, response) => {
    const peer = socket as TLSSocket
    const name: unknown = peer.authorized ? peer.getPeerCertificate().subject.CN : ''
    clients.push(String(name))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ partyList: [{ fspId: 'bluewallet' }] }))
  })
  await new Promise<void>((resolve) => {
    oracle.listen(0, '127.0.0.1', resolve)
  })
})

afterAll(() => {
  oracle.closeAllConnections()
  oracle.close()
  rmSync(folder, { recursive: true })
})

const file = (name: string) => join(folder, name)

/** What becomes of a lookup whose oracle is on https. */
async function lookupWith(changed: Parameters<typeof openWorld>[0]): Promise<string> {
  clients = []
  const service = await openWorld({ attempts_max: 1, ...changed })
  try {
    const administration = service.parts.grpc.client(oraclesService, 'account-lookup')
    const { port } = oracle.address() as AddressInfo
    const endpointValue = `https://127.0.0.1:${port}`
    const { refusal } = await administration.CreateOracle({ ...proposal, endpointValue })
    if (refusal) return refusal.detail
    const query = partyQuery({ type: 'ALIAS', id: '123' })
    await service.publish(query)
    const [answer] = await service.eventsFor(query.key, 1)
    return answer === undefined ? 'no answer' : gist(answer)
  } finally {
    await service.stop()
  }
}

test('An oracle with a certificate of its own CA is asked only when that CA is trusted', async () => {
  const without = await lookupWith({})
  expect(clients).toEqual([])
  const withCa = await lookupWith({ ACCOUNT_LOOKUP_ORACLE_TLS_CA_FILE: file('ca.crt') })
  expect(clients).toEqual([''])
  expect(withCa).not.toBe(without)
})

test('The hub identifies itself to oracles by its client certificate', async () => {
  await lookupWith({
    ACCOUNT_LOOKUP_ORACLE_TLS_CA_FILE: file('ca.crt'),
    ACCOUNT_LOOKUP_ORACLE_TLS_CERTIFICATE_FILE: file('hub.crt'),
    ACCOUNT_LOOKUP_ORACLE_TLS_KEY_FILE: file('hub.key'),
  })
  expect(clients).toEqual(['Hub'])
})

test('An oracle behind the firewall is refused when it is registered', async () => {
  expect(await lookupWith({ EGRESS_LOOPBACK: 'denied' })).toContain('EGRESS_LOOPBACK')
  expect(clients).toEqual([])
})
