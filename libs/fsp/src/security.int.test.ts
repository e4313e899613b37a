import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { createPublicKey, generateKeyPair, randomBytes, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import {
  createFsp,
  publicJwk,
  readJwks,
  readSigning,
  type Fsp,
  type FspOptions,
  type KeysOf,
  type PaymentOrder,
  type Signing,
} from './index.ts'
import type { StandInRequest } from './testing/hub-stand-in.ts'
import { openScheme, type Scheme } from './testing/scheme.ts'

const amara = { type: 'MSISDN', id: '12025550101', name: 'Amara Example' } as const
const mei = { type: 'MSISDN', id: '12025550111', name: 'Mei Example' } as const

let signings: Readonly<Record<'Hub' | 'payerfsp' | 'payeefsp', Signing>>
let encryptionKey: KeyObject
let scheme: Scheme
let opened: Fsp[] = []

const newKeyPair = promisify(generateKeyPair)

async function newSigning(): Promise<Signing> {
  const { privateKey } = await newKeyPair('rsa', { modulusLength: 2_048 })
  return readSigning(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
}

beforeAll(async () => {
  const [hub, payerfsp, payeefsp] = await Promise.all([newSigning(), newSigning(), newSigning()])
  signings = { Hub: hub, payerfsp, payeefsp }
  encryptionKey = (await newKeyPair('rsa', { modulusLength: 2_048 })).privateKey
})

afterEach(async () => {
  await Promise.all(opened.map((fsp) => fsp.close()))
  await scheme.stop()
  opened = []
})

const keysOf: KeysOf = (fspId) => {
  const known = Object.entries(signings).filter(([name]) => name === fspId)
  return readJwks({ keys: known.map(([, signing]) => publicJwk(signing)) })
}

function open(name: 'payerfsp' | 'payeefsp', options: Partial<FspOptions> = {}): Fsp {
  const fsp = createFsp({
    name,
    hubUrl: scheme.hub.url,
    secret: randomBytes(32),
    resendAfter_ms: 50,
    margin_ms: 300,
    signing: signings[name],
    keysOf,
    onLookUp: ({ id }) => (id === mei.id ? mei : undefined),
    ...options,
  })
  opened.push(fsp)
  scheme.join(fsp)
  return fsp
}

/** A hub that signs its messages and publishes its key. */
async function openSignedScheme(): Promise<void> {
  scheme = await openScheme(signings.Hub)
  scheme.hub.replyWith(({ method, path }) =>
    path === '/.well-known/jwks.json'
      ? { status: 200, body: { keys: [publicJwk(signings.Hub)] } }
      : method === 'PUT'
        ? 200
        : 202,
  )
}

function order(changes: Partial<PaymentOrder> = {}): PaymentOrder {
  return {
    payer: amara,
    to: { type: mei.type, id: mei.id },
    amount: { currency: 'USD', amount: '10' },
    expiration: new Date(Date.now() + 10_000),
    ...changes,
  }
}

test('A payment is made when every participant and the hub sign', async () => {
  await openSignedScheme()
  const payer = open('payerfsp')
  expect(await open('payeefsp').associate(mei)).toMatchObject({ state: 'DONE' })
  expect(await payer.pay(order())).toMatchObject({ state: 'COMMITTED' })
  expect(scheme.statuses.filter((status) => status > 202)).toEqual([])
})

const changed = (message: StandInRequest): StandInRequest => ({
  ...message,
  body: Buffer.from(message.body.toString().replace('"10"', '"11"')),
})
const unsigned = (message: StandInRequest): StandInRequest => {
  const { 'fspiop-signature': _signature, ...headers } = message.headers
  return { ...message, headers }
}

test.each([
  ['was changed in transit', changed],
  ['lost its signature', unsigned],
])('A message that %s is refused with 3105', async (_what, spoil) => {
  await openSignedScheme()
  const dropped: string[] = []
  const payer = open('payerfsp')
  const payee = open('payeefsp', {
    onDropped: (method, target, { errorCode }) => dropped.push(`${method} ${target} ${errorCode}`),
  })
  await payee.associate(mei)
  scheme.passOn((message) => (message.path === '/quotes' ? spoil(message) : message))
  const result = await payer.pay(order({ expiration: new Date(Date.now() + 500) }))
  expect(result).toMatchObject({ state: 'ABORTED', leg: 'quote' })
  expect(dropped).toContain('POST /quotes 3105')
})

test('A message in the name of the hub must have the hub’s signature', async () => {
  await openSignedScheme()
  const payer = open('payerfsp', { keysOf, answerTimeout_ms: 300 })
  signings = { ...signings, Hub: await newSigning() }
  scheme.hub.replyWith(() => ({ status: 200, body: { keys: [publicJwk(signings.Hub)] } }))
  expect(await payer.ping()).toMatchObject({ state: 'UNRESOLVED' })
  expect(scheme.statuses).toContain(400)
})

test('Names are readable for the other FSP only', async () => {
  await openSignedScheme()
  const names: unknown[] = []
  const peerKey = () => createPublicKey(encryptionKey)
  const encryption = { key: encryptionKey, peerKey }
  const payer = open('payerfsp', { encryption })
  const payee = open('payeefsp', {
    encryption,
    onQuote(quote) {
      names.push(quote.payer.name, quote.note)
      return { type: 'AGREE' }
    },
  })
  await payee.associate(mei)
  const result = await payer.pay(order({ note: 'for the rent' }))
  expect(result).toMatchObject({ state: 'COMMITTED', payee: { name: mei.name } })
  expect(names).toEqual([amara.name, 'for the rent'])
  const seen = scheme.hub.taken.map(({ body }) => body.toString()).join('\n')
  for (const word of ['Amara', 'Mei', 'rent']) expect(seen).not.toContain(word)
})

test('A bearer token is fetched once, sent with each message, and replaced when it is refused', async () => {
  scheme = await openScheme()
  let issued = 0
  scheme.hub.replyWith(({ path, headers }) => {
    if (path === '/token') {
      issued += 1
      return { status: 200, body: { access_token: `token${issued}`, expires_in: 3_600 } }
    }
    return headers['authorization'] === 'Bearer token2' ? 202 : 401
  })
  const token = { clientId: 'payerfsp', clientSecret: 'secret' }
  const payer = createFsp({
    name: 'payerfsp',
    hubUrl: scheme.hub.url,
    secret: randomBytes(32),
    token,
  })
  opened.push(payer)
  scheme.join(payer)
  expect(await payer.ping()).toMatchObject({ state: 'ANSWERED' })
  expect(await payer.ping()).toMatchObject({ state: 'ANSWERED' })
  const isTaken = ({ path, headers }: StandInRequest) =>
    path === '/pings' && headers['authorization'] === 'Bearer token2'
  await scheme.hub.received(isTaken, 2)
  expect(issued).toBe(2)
  const [asked] = scheme.hub.taken.filter(({ path }) => path === '/token')
  expect(asked?.body.toString()).toBe(
    'grant_type=client_credentials&client_id=payerfsp&client_secret=secret',
  )
})
