import { openLog, isOutage, needsOperator } from '@causeway/process'
import { makeTestCa, type TestCa } from '@causeway/process/testing'
import { Client, credentials, status } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from '@jest/globals'
import { GrpcCallError } from './call-error.ts'
import { renewable, type GrpcIdentity } from './identity.ts'
import { openGrpcHost, type GrpcHostOptions, type OpenGrpcHost } from './host.ts'
import { asOperator, type OperatorCheck } from './operator.ts'
import { item, mirrorService, type Items } from './test-service.ts'

const log = openLog({ name: 'test', level: 'silent' })
const authority = makeTestCa('Hub CA')
const nothing: Items = { items: [] }
// Longer than the usual deadline, because a machine that runs tests may be busy.
const patient = { deadline_ms: 60_000 }
const reflect = '/causeway.test.v1.Mirror/Reflect'
let open: OpenGrpcHost[] = []

afterEach(async () => {
  await Promise.all(open.map((host) => host.stop()))
  open = []
})

/** Only office may call Reflect; office and shop may call Other. */
function identityOf(name: string, ca: TestCa = authority): GrpcIdentity {
  const callersOf = (path: string) => (path === reflect ? ['office'] : ['office', 'shop'])
  const servicesOf = (commonName: string) => commonName.split('+')
  const certificates = renewable({ ...ca.issue(name), ca: authority.certificate })
  return { certificates, callersOf, servicesOf }
}

async function openHost(
  name: string,
  options: Partial<GrpcHostOptions> = {},
): Promise<OpenGrpcHost> {
  const host = await openGrpcHost({
    log,
    listen: '127.0.0.1:0',
    identity: identityOf(name),
    ...options,
  })
  open.push(host)
  return host
}

async function openMirror(
  name = 'mirror',
  id = name,
  options: Partial<GrpcHostOptions> = {},
): Promise<OpenGrpcHost> {
  const host = await openHost(name, options)
  const reply = () => Promise.resolve({ items: [{ ...item(1), id }] })
  host.serve(mirrorService, {
    Reflect: (_, { callers = [] }) =>
      Promise.resolve({ items: [{ ...item(1), id: callers.join() }] }),
    Other: reply,
  })
  return host
}

async function failureOf(call: Promise<unknown>): Promise<GrpcCallError> {
  const error: unknown = await call.catch((cause: unknown) => cause)
  if (error instanceof GrpcCallError) return error
  throw new Error(`the call did not fail with a GrpcCallError but gave ${String(error)}`)
}

describe('Methods:', () => {
  test('A method admits the services that it names, and receives their names', async () => {
    const mirror = await openMirror()
    const office = await openHost('office', { addressOf: () => mirror.address })
    const answer = await office.client(mirrorService, 'mirror').Reflect(nothing, patient)
    expect(answer.items[0]?.id).toBe('office')
  })

  test('A process of several services is admitted where one of them is, and reached as each', async () => {
    const mirror = await openMirror('mirror+window')
    const both = await openHost('office+shop', { addressOf: () => mirror.address })
    const answer = await both.client(mirrorService, 'mirror').Reflect(nothing, patient)
    expect(answer.items[0]?.id).toBe('office,shop')
    await both.client(mirrorService, 'window').Other(nothing, patient)
    const others = await openHost('shop+garage', { addressOf: () => mirror.address })
    const failure = await failureOf(others.client(mirrorService, 'mirror').Reflect(nothing))
    expect(failure.code).toBe(status.PERMISSION_DENIED)
  })

  test('A method refuses any other caller, and that is an outage until an operator admits it', async () => {
    const mirror = await openMirror()
    const shop = await openHost('shop', { addressOf: () => mirror.address })
    const calls = shop.client(mirrorService, 'mirror')
    const error = await failureOf(calls.Reflect(nothing, patient))
    expect(error.code).toBe(status.PERMISSION_DENIED)
    expect(error.message).toContain(`shop may not call ${reflect}`)
    expect([isOutage(error), needsOperator(error)]).toEqual([true, true])
    expect((await calls.Other(nothing, patient)).items).toHaveLength(1)
  })

  test('Each refused caller is reported with its name and address, an admitted one is not', async () => {
    const refused: string[][] = []
    const onCallerRefused = (...words: string[]) => void refused.push(words)
    const mirror = await openMirror('mirror', 'mirror', { onCallerRefused })
    const shop = await openHost('shop', { addressOf: () => mirror.address })
    const calls = shop.client(mirrorService, 'mirror')
    await calls.Other(nothing, patient)
    await failureOf(calls.Reflect(nothing, patient))
    expect(refused).toEqual([['shop', reflect, expect.stringMatching(/^127\.0\.0\.1:\d+$/)]])
  })
})

describe('Operators:', () => {
  /** Accepts the token that is the actor's name. */
  const check: OperatorCheck = {
    caller: 'office',
    needOf: (path) => (path === reflect ? 'ALWAYS' : 'NEVER'),
    faultOf: ({ actor, proof }) =>
      Promise.resolve(
        proof !== undefined && proof.token === (actor ?? 'any') ? undefined : 'another token',
      ),
  }

  async function callsOf(caller: string) {
    const mirror = await openMirror()
    mirror.checkOperators(check)
    const host = await openHost(caller, { addressOf: () => mirror.address })
    return host.client(mirrorService, 'mirror')
  }

  test('A change in the name of an operator needs the proof of this operator', async () => {
    const calls = await callsOf('office')
    const named = { ...nothing, actor: 'ada' }
    const denied = [
      calls.Reflect(named, patient),
      asOperator({ token: 'bob' }, () => calls.Reflect(named, patient)),
      calls.Reflect({ ...nothing, actor: '' }, patient),
    ]
    for (const call of denied) expect((await failureOf(call)).code).toBe(status.PERMISSION_DENIED)
    const proven = await asOperator({ token: 'ada' }, () => calls.Reflect(named, patient))
    expect(proven.items[0]?.id).toBe('office')
  })

  test('A method that needs a proof needs one also where it names no operator', async () => {
    const calls = await callsOf('office')
    const error = await failureOf(calls.Reflect(nothing, patient))
    expect(error.code).toBe(status.PERMISSION_DENIED)
    const proven = await asOperator({ token: 'any' }, () => calls.Reflect(nothing, patient))
    expect(proven.items).toHaveLength(1)
    expect((await calls.Other({ ...nothing, actor: 'ada' }, patient)).items).toHaveLength(1)
  })

  test('A method that a service also calls for itself needs a proof only where it names an operator', async () => {
    const mirror = await openMirror()
    mirror.checkOperators({ ...check, needOf: () => 'WHERE_NAMED' })
    const office = await openHost('office', { addressOf: () => mirror.address })
    const calls = office.client(mirrorService, 'mirror')
    expect((await calls.Reflect(nothing, patient)).items).toHaveLength(1)
    const error = await failureOf(calls.Reflect({ ...nothing, actor: 'ada' }, patient))
    expect(error.code).toBe(status.PERMISSION_DENIED)
  })

  test('A service that acts by itself needs none', async () => {
    const mirror = await openMirror()
    mirror.checkOperators({ ...check, caller: 'shop' })
    const office = await openHost('office', { addressOf: () => mirror.address })
    const named = { ...nothing, actor: 'ada' }
    const answer = await office.client(mirrorService, 'mirror').Reflect(named, patient)
    expect(answer.items).toHaveLength(1)
  })
})

describe('Certificates:', () => {
  const soon = { deadline_ms: 300 }

  test('A caller with a certificate of another authority receives nothing', async () => {
    const mirror = await openMirror()
    const identity = identityOf('office', makeTestCa('Another CA'))
    const stranger = await openHost('office', { addressOf: () => mirror.address, identity })
    const error = await failureOf(stranger.client(mirrorService, 'mirror').Reflect(nothing, soon))
    expect(isOutage(error)).toBe(true)
  })

  test('A caller without a certificate receives nothing, not even the health of the service', async () => {
    const mirror = await openMirror()
    const options = { 'grpc.ssl_target_name_override': 'mirror' }
    const ca = credentials.createSsl(Buffer.from(authority.certificate), null, null, {
      checkServerIdentity: () => undefined,
    })
    const client = new Client(mirror.address, ca, options)
    const asIs = (bytes: Buffer) => bytes
    const health = '/grpc.health.v1.Health/Check'
    const code = await new Promise((resolve) => {
      const deadline = Date.now() + 60_000
      client.makeUnaryRequest(health, asIs, asIs, Buffer.alloc(0), { deadline }, (error) => {
        resolve(error?.code)
      })
    })
    client.close()
    expect(code).toBe(status.UNAVAILABLE)
  })

  test('A server that is not the called service receives nothing', async () => {
    const shop = await openMirror('shop')
    const office = await openHost('office', { addressOf: () => shop.address })
    const error = await failureOf(office.client(mirrorService, 'mirror').Reflect(nothing, soon))
    expect(isOutage(error)).toBe(true)
  })
})

describe('Replicas:', () => {
  test('Replicas share the calls, and a query that one does not answer is sent to the other', async () => {
    const [one, two] = [await openMirror('mirror', 'one'), await openMirror('mirror', 'two')]
    const office = await openHost('office', { addressOf: () => `${one.address},${two.address}` })
    const calls = office.client(mirrorService, 'mirror')
    const ask = async () => (await calls.Other(nothing, patient)).items[0]?.id
    const received = new Set<string | undefined>()
    while (received.size < 2) received.add(await ask())
    expect(received).toEqual(new Set(['one', 'two']))

    const asking = Promise.all(Array.from({ length: 20 }, ask))
    await one.stop()
    await asking
    expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(
      Array.from({ length: 20 }, () => 'two'),
    )
  })

  test('Each replica can be called at its own address', async () => {
    const two = await openMirror('mirror', 'two')
    const office = await openHost('office')
    const calls = office.clientAt(mirrorService, 'mirror', two.address)
    expect((await calls.Other(nothing, patient)).items[0]?.id).toBe('two')
  })
})

test('Certificates are renewed on both sides while calls continue', async () => {
  const mirror = identityOf('mirror')
  const host = await openHost('mirror', { identity: mirror })
  const echo = (request: Items) => Promise.resolve(request)
  host.serve(mirrorService, { Reflect: echo, Other: echo })
  const office = identityOf('office')
  const first = await openHost('office', { addressOf: () => host.address, identity: office })
  const calls = first.client(mirrorService, 'mirror')
  await calls.Reflect(nothing, patient)

  const next = makeTestCa('Hub CA of next year')
  for (const [identity, name] of [
    [mirror, 'mirror'],
    [office, 'office'],
  ] as const) {
    identity.certificates.renew({ ...next.issue(name), ca: next.certificate })
  }
  await calls.Reflect(nothing, patient)
  const renewed = await openHost('office', { addressOf: () => host.address, identity: office })
  expect(await renewed.client(mirrorService, 'mirror').Reflect(nothing, patient)).toEqual(nothing)
  const old = await openHost('office', { addressOf: () => host.address })
  const refused = old.client(mirrorService, 'mirror').Reflect(nothing, { deadline_ms: 300 })
  expect(isOutage(await failureOf(refused))).toBe(true)
})

test('A process is reached by its advertised host', async () => {
  const host = await openHost('office', { listen: '127.0.0.1:0', reachedAt: 'office.hub.svc' })
  expect(host.address).toMatch(/^office\.hub\.svc:\d+$/)
})
