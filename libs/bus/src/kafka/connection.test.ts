/** What is patched in kafkajs: a connection that is opened again discards the rest of a response. */
import { createRequire } from 'node:module'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'

interface Connection {
  connect(): Promise<boolean>
  disconnect(): Promise<boolean>
  isConnected(): boolean
  send(exchange: object): Promise<string>
}

interface Reached {
  readonly host: string
  readonly port: number
  readonly onConnect: () => void
}

type Options = Readonly<Record<string, unknown>>

const require = createRequire(import.meta.url)
const Encoder = require('kafkajs/src/protocol/encoder.js') as new () => object
const KafkaConnection = require('kafkajs/src/network/connection.js') as new (
  options: Options,
) => Connection

const quiet = () => undefined
const log: Options = { debug: quiet, info: quiet, warn: quiet, error: quiet, namespace: () => log }

/** A request whose response is a text. */
const exchange = {
  request: {
    apiKey: 0,
    apiVersion: 0,
    apiName: 'Test',
    encode: () => Promise.resolve(new Encoder()),
  },
  response: {
    decode: (data: Buffer) => Promise.resolve(data),
    parse: (data: Buffer) => Promise.resolve(data.toString('utf8')),
  },
}

let server: Server
let connection: Connection
/** Called with what the broker is sent, for each connection. */
let onRequest: (socket: Socket, correlationId: number) => void

beforeEach(async () => {
  server = createServer((socket) => {
    socket.on('error', quiet)
    socket.on('data', (request: Buffer) => onRequest(socket, request.readInt32BE(8)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  connection = new KafkaConnection({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    logger: log,
    requestTimeout: 5_000,
    connectionTimeout: 5_000,
    socketFactory: ({ host, port, onConnect }: Reached) => connect(port, host, onConnect),
  })
})

afterEach(async () => {
  await connection.disconnect()
  server.close()
})

function answer(correlationId: number, text: string): Buffer {
  const head = Buffer.alloc(8)
  head.writeInt32BE(4 + Buffer.byteLength(text), 0)
  head.writeInt32BE(correlationId, 4)
  return Buffer.concat([head, Buffer.from(text)])
}

test.each([2, 6, 10])(
  'A response that ends after %d bytes is discarded when the connection is opened again',
  async (length) => {
    onRequest = (socket, correlationId) =>
      socket.end(answer(correlationId, 'lost').subarray(0, length))
    await connection.connect()
    await expect(connection.send(exchange)).rejects.toThrow('Closed connection')
    onRequest = (socket, correlationId) => socket.write(answer(correlationId, 'whole'))
    await connection.connect()
    expect(await connection.send(exchange)).toBe('whole')
  },
)
