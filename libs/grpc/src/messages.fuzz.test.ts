/**
 * Messages and headers of gRPC that are almost valid, as bytes on a connection: the handler gets them in
 * the shape of the contract, or the call fails with a status, and the server serves the next one.
 */
import { changedBytes, changedText } from '@causeway/fuzzing'
import { openLog } from '@causeway/process'
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openGrpcHost, type OpenGrpcHost } from './host.ts'
import { item, mirrorService, type Items } from './test-service.ts'

const { path, requestSerialize, requestDeserialize } = mirrorService.Reflect
const whole = requestSerialize({ items: [item(0), item(1), item(3)], actor: 'ada' })

let host: OpenGrpcHost
let client: Client
let handled: Items[] = []

beforeAll(async () => {
  host = await openGrpcHost({
    log: openLog({ name: 'test', level: 'silent' }),
    listen: '127.0.0.1:0',
  })
  const reflect = (request: Items) => {
    handled.push(request)
    return Promise.resolve(request)
  }
  host.serve(mirrorService, { Reflect: reflect, Other: reflect })
  client = new Client(host.address, credentials.createInsecure())
})

afterAll(async () => {
  client.close()
  await host.stop()
})

/** The answer, or the status of the failure. */
function call(bytes: Buffer, metadata = new Metadata()): Promise<Items | status> {
  handled = []
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, answer?: Items) => resolve(answer ?? error?.code ?? 0)
    client.makeUnaryRequest(path, (sent: Buffer) => sent, requestDeserialize, bytes, metadata, done)
  })
}

function expectShape({ items, actor }: Items): void {
  if (actor !== undefined) expect(typeof actor).toBe('string')
  for (const each of items) {
    expect([each.id, each.amount, each.version].map((text) => typeof text)).toEqual(
      Array(3).fill('string'),
    )
    expect(each.version).toMatch(/^-?\d{1,19}$/)
    expect(Buffer.isBuffer(each.evidence)).toBe(true)
    for (const name of each.detail?.names ?? []) expect(typeof name).toBe('string')
    expect([undefined, 'refusal', 'position']).toContain(each.result)
    if (each.result !== undefined) expect(each[each.result]).toBeDefined()
  }
}

/** Groups in groups, of which no contract has one. */
const nested = Buffer.alloc(100_000, 0x0b)

test('A changed message is handled in the shape of the contract, or fails with a status', async () => {
  await fc.assert(
    fc.asyncProperty(changedBytes([whole, Buffer.concat([whole, whole])]), async (bytes) => {
      const answer = await call(bytes)
      if (typeof answer === 'number') {
        expect(answer).toBe(status.INTERNAL)
        expect(handled).toEqual([])
      } else {
        expectShape(answer)
        expect(handled).toEqual([answer])
      }
    }),
    { numRuns: 300, examples: [[nested]] },
  )
  expect(await call(whole)).toMatchObject({ actor: 'ada' })
})

test('A call with changed headers is handled, or fails with a status', async () => {
  const origin = Buffer.from(JSON.stringify({ actor: 'ada', kind: 'PERSON' })).toString('base64url')
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const header = fc.tuple(
    fc.constantFrom('causeway-origin', 'traceparent', 'x-operator-token', 'x-operation-request'),
    changedText([origin, traceparent, 'token']).map((text) => text.replaceAll(/[^ -~]/g, '')),
  )
  await fc.assert(
    fc.asyncProperty(header, async ([name, value]) => {
      // A connection has at most 16 KiB of headers.
      const metadata = new Metadata()
      metadata.set(name, value.slice(0, 4_000))
      const answer = await call(whole, metadata)
      if (typeof answer === 'number') expect(answer).toBe(status.INTERNAL)
      else expectShape(answer)
    }),
    { numRuns: 300 },
  )
  expect(await call(whole)).toMatchObject({ actor: 'ada' })
})
