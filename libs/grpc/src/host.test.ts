import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog, isOutage, needsOperator, Outage, StartError } from '@causeway/process'
import { Client, credentials, status } from '@grpc/grpc-js'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { GrpcCallError } from './call-error.ts'
import type { Handlers } from './definition.ts'
import { openGrpcHost, type GrpcHostOptions, type OpenGrpcHost } from './host.ts'
import { item, mirrorService, type Items } from './test-service.ts'

const log = openLog({ name: 'test', level: 'silent' })
const echo = (request: Items) => Promise.resolve(request)
const handlers = { Reflect: echo, Other: echo }
const nothing: Items = { items: [] }
// Longer than the usual deadline, because a machine that runs tests may be busy.
const patient = { deadline_ms: 60_000 }

let folder = ''
let open: OpenGrpcHost[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-grpc-'))
})

afterEach(async () => {
  await Promise.all(open.map((host) => host.stop()))
  open = []
  await rm(folder, { recursive: true })
})

async function openHost(options: Partial<GrpcHostOptions> = {}): Promise<OpenGrpcHost> {
  const host = await openGrpcHost({ log, listen: `unix:${join(folder, 'grpc.sock')}`, ...options })
  open.push(host)
  return host
}

/** A host whose calls to itself do not leave the process, and a caller that is connected to it. */
const ways = [
  ['within the process', (host: OpenGrpcHost) => Promise.resolve(host)],
  [
    'over a connection',
    ({ address }: OpenGrpcHost) =>
      openHost({ listen: `unix:${join(folder, 'caller.sock')}`, addressOf: () => address }),
  ],
] as const

async function failureOf(call: Promise<unknown>): Promise<GrpcCallError> {
  const error: unknown = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (error instanceof GrpcCallError) return error
  throw new Error(`the call did not fail with a GrpcCallError but gave ${String(error)}`)
}

describe.each(ways)('Calls %s:', (_way, callerOf) => {
  test('A thousand items with bytes and decimals are returned unchanged in one call', async () => {
    const host = await openHost()
    const caller = await callerOf(host)
    host.serve(mirrorService, handlers)
    const items = Array.from({ length: 1_000 }, (_, n) => item(n))
    const answer = await caller.client(mirrorService, 'mirror').Reflect({ items }, patient)
    expect(answer).toEqual({ items })
    expect(answer.items[0]?.evidence).not.toBe(items[0]?.evidence)
  })

  test('A message of more than 4 MiB is accepted', async () => {
    const host = await openHost()
    const caller = await callerOf(host)
    host.serve(mirrorService, handlers)
    const items = [{ ...item(1), evidence: Buffer.alloc(6 * 1024 * 1024, 7) }]
    const answer = await caller.client(mirrorService, 'mirror').Reflect({ items }, patient)
    expect(answer.items[0]?.evidence.length).toBe(6 * 1024 * 1024)
  })

  test('A message of more than 16 MiB fails its call as an outage that needs an operator', async () => {
    const host = await openHost()
    const caller = await callerOf(host)
    host.serve(mirrorService, handlers)
    const items = [{ ...item(1), evidence: Buffer.alloc(17 * 1024 * 1024) }]
    const error = await failureOf(
      caller.client(mirrorService, 'mirror').Reflect({ items }, patient),
    )
    expect(error.code).toBe(status.RESOURCE_EXHAUSTED)
    expect([isOutage(error), needsOperator(error)]).toEqual([true, true])
  })

  test('The signal of a handler aborts, with an outage, when its caller no longer waits', async () => {
    const host = await openHost()
    const caller = await callerOf(host)
    let reason: unknown
    host.serve(mirrorService, {
      ...handlers,
      Reflect: (request, { signal }) =>
        new Promise((answer) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason
            answer(request)
          })
        }),
    })
    const calls = caller.client(mirrorService, 'mirror')
    // On a busy machine a call may be late before it has reached its handler.
    while (reason === undefined) {
      const error = await failureOf(calls.Reflect(nothing, { deadline_ms: 30 }))
      expect(error.code).toBe(status.DEADLINE_EXCEEDED)
    }
    expect(isOutage(reason)).toBe(true)
  })

  test('A call without a response fails at its deadline as an outage', async () => {
    const host = await openHost()
    const caller = await callerOf(host)
    let answer: (items: Items) => void = () => undefined
    const late = new Promise<Items>((resolve) => (answer = resolve))
    host.serve(mirrorService, { ...handlers, Reflect: () => late })
    const call = caller.client(mirrorService, 'mirror').Reflect(nothing, { deadline_ms: 30 })
    const error = await failureOf(call)
    expect(error.code).toBe(status.DEADLINE_EXCEEDED)
    expect(error.message).toContain('mirror/causeway.test.v1.Mirror/Reflect')
    expect(isOutage(error)).toBe(true)
    answer(nothing)
  })

  test('A handler that throws fails its call alone, and that is no outage', async () => {
    const host = await openHost()
    const caller = await callerOf(host)
    host.serve(mirrorService, {
      ...handlers,
      Reflect: () => {
        throw new Error('a bug before the first await')
      },
      Other: ({ items }) =>
        items.length === 0 ? Promise.reject(new Error('a bug')) : Promise.resolve({ items }),
    })
    const calls = caller.client(mirrorService, 'mirror')
    const [thrown, rejected, neighbour] = await Promise.all([
      failureOf(calls.Reflect(nothing, patient)),
      failureOf(calls.Other(nothing, patient)),
      calls.Other({ items: [item(1)] }, patient),
    ])
    expect([thrown.code, rejected.code]).toEqual([status.INTERNAL, status.INTERNAL])
    expect(rejected.message).toContain('a bug')
    expect(isOutage(rejected)).toBe(false)
    expect(neighbour.items).toHaveLength(1)
  })

  test('A handler that an outage interrupted reports the outage to its caller', async () => {
    const host = await openHost()
    const caller = await callerOf(host)
    const lost = new Outage('connection lost')
    host.serve(mirrorService, { ...handlers, Reflect: () => Promise.reject(lost) })
    const error = await failureOf(caller.client(mirrorService, 'mirror').Reflect(nothing, patient))
    expect(isOutage(error)).toBe(true)
  })

  test('A response that does not match its message type fails the call', async () => {
    const host = await openHost()
    const caller = await callerOf(host)
    const wrong = [nothing] as unknown as Items
    host.serve(mirrorService, { ...handlers, Reflect: () => Promise.resolve(wrong) })
    const error = await failureOf(caller.client(mirrorService, 'mirror').Reflect(nothing, patient))
    expect(error.code).toBe(status.INTERNAL)
    expect(isOutage(error)).toBe(false)
  })

  test('A call of a method that is not served yet is an outage until it is served', async () => {
    const host = await openHost()
    const caller = await callerOf(host)
    const calls = caller.client(mirrorService, 'mirror')
    expect(isOutage(await failureOf(calls.Reflect(nothing)))).toBe(true)
    host.serve(mirrorService, handlers)
    expect(await calls.Reflect(nothing, patient)).toEqual(nothing)
  })

  test('A stop waits for the calls in flight and accepts no more', async () => {
    const host = await openHost()
    const caller = await callerOf(host)
    let answer: (items: Items) => void = () => undefined
    const begun = new Promise<void>((begin) => {
      host.serve(mirrorService, {
        ...handlers,
        Reflect: () => {
          begin()
          return new Promise((resolve) => (answer = resolve))
        },
      })
    })
    const calls = caller.client(mirrorService, 'mirror')
    const call = calls.Reflect(nothing, patient)
    await begun
    const stopped = host.drain()
    const late = failureOf(calls.Other(nothing, { deadline_ms: 30 }))
    expect(isOutage(await late)).toBe(true)
    answer({ items: [item(5)] })
    expect((await call).items[0]?.id).toBe('item-5')
    await stopped
  })
})

describe('Connections:', () => {
  test('Each provider is reached at its address', async () => {
    const a = await openHost({ listen: '127.0.0.1:0' })
    const b = await openHost({ listen: '127.0.0.1:0' })
    for (const [host, name] of [
      [a, 'a'],
      [b, 'b'],
    ] as const) {
      const named = () => Promise.resolve({ items: [{ ...item(1), id: name }] })
      host.serve(mirrorService, { ...handlers, Reflect: named })
    }
    const caller = await openHost({
      addressOf: (provider) => (provider === 'service-a' ? a.address : b.address),
    })
    const answers = await Promise.all(
      ['service-a', 'service-b'].map((provider) =>
        caller.client(mirrorService, provider).Reflect(nothing, patient),
      ),
    )
    expect(answers.map(({ items }) => items[0]?.id)).toEqual(['a', 'b'])
  })

  test('A call waits for a provider that starts later, and reaches it again after a restart', async () => {
    const address = `unix:${join(folder, 'provider.sock')}`
    const caller = await openHost({ addressOf: () => address })
    const calls = caller.client(mirrorService, 'mirror')
    for (const start of [1, 2]) {
      const call = calls.Reflect({ items: [item(start)] }, patient)
      const provider = await openGrpcHost({ log, listen: address })
      provider.serve(mirrorService, handlers)
      const answer = await call.catch(() => calls.Reflect({ items: [item(start)] }, patient))
      expect(answer.items[0]?.id).toBe(`item-${start}`)
      await provider.stop()
    }
  })
})

describe('The socket:', () => {
  test('The socket file of a killed process is replaced', async () => {
    const path = join(folder, 'left-behind.sock')
    await writeFile(path, '')
    const host = await openHost({ listen: `unix:${path}` })
    host.serve(mirrorService, handlers)
    expect(await host.client(mirrorService, 'mirror').Reflect(nothing, patient)).toEqual(nothing)
  })

  test('A socket on which another process listens is refused as in use', async () => {
    const path = join(folder, 'taken.sock')
    const other = createServer().listen(path)
    await new Promise((resolve) => other.once('listening', resolve))
    const start = openGrpcHost({ log, listen: `unix:${path}` })
    await expect(start).rejects.toThrow(StartError)
    await expect(start).rejects.toThrow(`${path} is in use`)
    other.close()
  })

  test('A port in use is refused with its address', async () => {
    const host = await openHost({ listen: '127.0.0.1:0' })
    await expect(openGrpcHost({ log, listen: host.address })).rejects.toThrow(StartError)
  })
})

test('The health and the reflection of every service are served', async () => {
  const host = await openHost()
  host.serve(mirrorService, handlers)
  const client = new Client(host.address, credentials.createInsecure())
  const health = await unary(
    client,
    '/grpc.health.v1.Health/Check',
    field(1, 'causeway.test.v1.Mirror'),
  )
  expect([...health]).toEqual([8, 1])
  const names = await reflected(client, field(7, '*'))
  expect(names).toContain('causeway.test.v1.Mirror')
  const file = await reflected(client, field(4, 'causeway.test.v1.Mirror'))
  expect(file).toContain('evidence')
  client.close()
})

/** A protobuf message with one short text field. */
function field(number: number, value: string): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, value.length]), Buffer.from(value)])
}

const asIs = (bytes: Buffer) => bytes

function unary(client: Client, path: string, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, asIs, asIs, request, (error, answer) => {
      if (answer === undefined) reject(error ?? new Error('no answer'))
      else resolve(answer)
    })
  })
}

function reflected(client: Client, request: Buffer): Promise<string> {
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
  const stream = client.makeBidiStreamRequest(path, asIs, asIs)
  return new Promise((resolve, reject) => {
    stream.once('data', (answer: Buffer) => {
      resolve(answer.toString('latin1'))
      stream.end()
    })
    stream.once('error', reject)
    stream.write(request)
  })
}

test('A forgotten field or method does not compile', () => {
  const forgetful: readonly Handlers<typeof mirrorService>[] = [
    // @ts-expect-error the answer has no items
    { ...handlers, Reflect: () => Promise.resolve({}) },
    // @ts-expect-error the method Other is missing
    { Reflect: echo },
  ]
  expect(forgetful).toHaveLength(2)
})
