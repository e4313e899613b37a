import { expect, test } from '@jest/globals'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect, createServer, type TLSSocket } from 'node:tls'
import {
  issueClientCertificate,
  issueServerCertificate,
  makeCa,
  makeCsr,
  signCsr,
  type Certified,
} from './index.ts'

const now_ms = Date.now()
const validity = { from: new Date(now_ms - 60_000), to: new Date(now_ms + 3_600_000) }
const ended = { from: new Date(now_ms - 7_200_000), to: new Date(now_ms - 3_600_000) }
const names = { dns: ['localhost'], ip: ['127.0.0.1'] }
const hub = { commonName: 'Hub', organization: 'Hub' }
const greenbank = { commonName: 'greenbank', organization: 'Hub' }

const ca = makeCa({ subject: { commonName: 'Scheme CA', organization: 'Hub' }, validity })
const other = makeCa({ subject: { commonName: 'Scheme CA', organization: 'Hub' }, validity })
const server = issueServerCertificate(ca, { subject: hub, names, validity })
const client = issueClientCertificate(ca, { subject: greenbank, validity })

/** The peer names on both sides after one handshake; undefined: the handshake failed. */
async function handshake(serving: Certified, calling: Certified, servername = 'localhost') {
  const sockets = new Set<Socket>()
  const listening = createServer({
    cert: serving.certificate,
    key: serving.key,
    ca: ca.certificate,
    requestCert: true,
    rejectUnauthorized: true,
  })
  listening.on('connection', (socket: Socket) => sockets.add(socket))
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const accepted = new Promise<TLSSocket | undefined>((resolve) => {
    listening.once('secureConnection', resolve).once('tlsClientError', () => resolve(undefined))
  })
  const { port } = listening.address() as { port: number }
  const tls = { cert: calling.certificate, key: calling.key, ca: ca.certificate, servername }
  const socket = connect({ host: '127.0.0.1', port, ...tls })
  const connected = once(socket, 'secureConnect').then(
    () => socket.getPeerCertificate().subject.CN,
    () => undefined,
  )
  const [seenByClient, at] = await Promise.all([connected, accepted])
  const seenByServer = at?.getPeerCertificate().subject.CN
  for (const open of [...sockets, socket]) open.destroy()
  listening.close()
  return [seenByClient, seenByServer]
}

test('Hub and FSP authenticate each other over TLS', async () => {
  expect(await handshake(server, client)).toEqual(['Hub', 'greenbank'])
})

test('A certificate for a request with host names works for callbacks and for calls of the hub', async () => {
  const { csr, key } = makeCsr({ subject: { ...greenbank, commonName: 'ignored' }, names })
  const certificate = signCsr(ca, { request: csr, subject: greenbank, names, validity })
  expect(await handshake(server, { certificate, key })).toEqual(['Hub', 'greenbank'])
  const asClient = issueClientCertificate(ca, { subject: hub, validity })
  expect(await handshake({ certificate, key }, asClient)).toEqual(['greenbank', 'Hub'])
})

test.each([
  [
    'of another authority of the same name',
    issueClientCertificate(other, { subject: greenbank, validity }),
  ],
  ['that has ended', issueClientCertificate(ca, { subject: greenbank, validity: ended })],
  ['for servers alone', issueServerCertificate(ca, { subject: greenbank, names, validity })],
])('A client with a certificate %s is rejected', async (_, stranger) => {
  expect((await handshake(server, stranger))[1]).toBeUndefined()
})

test('A server with a host name outside of its certificate is rejected', async () => {
  expect((await handshake(server, client, 'elsewhere.example'))[0]).toBeUndefined()
})

test('A client certificate without host names is not valid for a server', async () => {
  expect((await handshake(client, client))[0]).toBeUndefined()
})
