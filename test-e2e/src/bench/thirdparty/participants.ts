/**
 * DFSP, PISP and payee FSP of the bench in one process of their own, with the user's keys: their
 * CPU time is counted separately. Everything is made and signed when it is sent.
 */
import {
  createAuthenticator,
  createFsp,
  readSigning,
  serveCallbacks,
  type Authenticator,
  type CallbackServer,
  type Fsp,
  type FspOptions,
  type Signing,
} from '@causeway/fsp'
import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { quantiles } from '../quantiles.ts'
import { roles, type Answer, type Command, type Open, type Opened, type Run } from './messages.ts'

const origin = 'https://app.pisp.example'
const callbackUri = `${origin}/linked`
const mei = { type: 'MSISDN', id: '15550000002', name: 'Mei Example' } as const
const amara = { type: 'MSISDN', id: '15550000001', name: 'Amara Example' } as const
/** Users who pay in turn, each with an account and a key. */
const users_max = 64
const valid_ms = 60_000

interface Linked {
  readonly account: string
  readonly device: Authenticator
}

let fsps: readonly Fsp[] = []
let servers: readonly CallbackServer[] = []
const linked: Linked[] = []

const reportBack = (answer: Answer) => process.send?.(answer)

function participant(role: (typeof roles)[number]): Fsp {
  const fsp = fsps[roles.indexOf(role)]
  if (fsp === undefined) throw new Error('the participants are not open')
  return fsp
}

async function open({ hubUrl, tls, signed }: Open): Promise<void> {
  const signings = await Promise.all(roles.map(() => newSigning(signed)))
  const keysOf: FspOptions['keysOf'] = (fspId) => {
    const signing = signings[roles.findIndex((role) => role === fspId)]
    if (signing === undefined) return Promise.resolve([])
    const key = createPublicKey(signing.key)
    const { kid } = signing
    return Promise.resolve([{ kid, key, validFrom: undefined, validTo: undefined }])
  }
  const edges = hubUrl.split(',')
  fsps = roles.map((name, n) => {
    const own = tls?.fsps[n]
    const signing = signings[n]
    return createFsp({
      name,
      hubUrl: edges[n % edges.length] ?? hubUrl,
      secret: randomBytes(32),
      resendAfter_ms: valid_ms,
      ...(tls && own && { tls: { ca: tls.ca, certificate: own.certificate, key: own.key } }),
      ...(signing && { signing, keysOf }),
      ...sideOf(name),
    })
  })
  servers = await Promise.all(
    fsps.map((fsp, n) => {
      const own = tls?.fsps[n]
      return serveCallbacks(fsp, {
        host: '127.0.0.1',
        port: 0,
        ...(tls && own && { tls: { ca: tls.ca, certificate: own.certificate, key: own.key } }),
      })
    }),
  )
  const participants = servers.map(({ url }, n): Opened => {
    const signing = signings[n]
    const publicKey =
      signing && createPublicKey(signing.key).export({ type: 'spki', format: 'pem' })
    return { url, publicKey: publicKey?.toString() }
  })
  reportBack({ type: 'OPENED', participants })
}

async function newSigning(signed: Open['signed']): Promise<Signing | undefined> {
  if (signed === undefined) return undefined
  const { privateKey } =
    signed === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return readSigning(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
}

function sideOf(role: (typeof roles)[number]): Partial<FspOptions> {
  if (role === 'payee') return { onLookUp: () => mei }
  if (role === 'pisp') return {}
  return {
    dfsp: {
      accountsOf: (userId) => [{ address: `dfsp.${userId}`, currency: 'USD' }],
      isTrustedUri: (uri) => uri === callbackUri,
      authUriOf: (id) => `https://dfsp.example/link/${id}`,
      payerAccount: () => ({ state: 'READY', payer: amara }),
    },
  }
}

/** The n-th user has an account of their own. */
async function link(n: number): Promise<Linked> {
  const account = `dfsp.user${n}`
  const device = createAuthenticator()
  const scopes = [{ address: account, actions: ['ACCOUNTS_TRANSFER'] }]
  const result = await participant('pisp').pisp.link({
    dfspId: 'dfsp',
    userId: `user${n}`,
    scopes,
    channels: ['WEB'],
    callbackUri,
    async authenticate({ consentRequestId }) {
      const back = await participant('dfsp').dfsp.grant(consentRequestId, scopes)
      return new URL(back ?? callbackUri).searchParams.get('authToken') ?? undefined
    },
    createCredential: ({ challenge }) =>
      Promise.resolve({
        credentialType: 'FIDO',
        fidoPayload: device.register({ challenge, origin }),
      }),
  })
  if (result.state !== 'LINKED') throw new Error(`${result.state} ${JSON.stringify(result)}`)
  return { account, device }
}

async function pay(n: number): Promise<void> {
  const user = linked[n % linked.length]
  if (user === undefined) throw new Error('nothing is linked')
  const result = await participant('pisp').pisp.pay({
    dfspId: 'dfsp',
    account: user.account,
    to: { type: mei.type, id: mei.id },
    amount: { currency: 'USD', amount: '1' },
    expiration: new Date(Date.now() + valid_ms),
    sign: ({ challenge }) =>
      Promise.resolve({
        signedPayloadType: 'FIDO',
        fidoSignedPayload: user.device.assert({
          challenge: Buffer.from(challenge, 'base64url'),
          origin,
        }),
      }),
  })
  if (result.state === 'COMPLETED') return
  throw new Error(
    result.state === 'FAILED' ? `${result.leg}: ${result.error.errorCode}` : 'REJECTED',
  )
}

/** Registers the payee with the scheme and links its users' accounts. */
async function linkUsers(): Promise<void> {
  const { state } = await participant('payee').associate(mei)
  if (state !== 'DONE') throw new Error(`the payee is not registered: ${state}`)
  while (linked.length < users_max) linked.push(await link(linked.length))
  reportBack({ type: 'LINKED' })
}

let linksBegun = users_max

async function run({ leg, count, rate }: Run): Promise<void> {
  const latencies: number[] = []
  const failures: Record<string, number> = {}
  const under: Promise<void>[] = []
  const begun_ms = performance.now()
  for (let n = 0; n < count; n += 1) {
    const due_ms = begun_ms + (n * 1_000) / rate
    const early_ms = due_ms - performance.now()
    if (early_ms > 1) await wait(early_ms)
    const one = leg === 'link' ? link((linksBegun += 1)) : pay(n)
    under.push(
      one.then(
        () => void latencies.push(performance.now() - due_ms),
        (error: unknown) => {
          const why = (error as Error).message.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{ID}')
          failures[why] = (failures[why] ?? 0) + 1
        },
      ),
    )
  }
  await Promise.all(under)
  const window_ms = performance.now() - begun_ms
  const latency_ms = quantiles(latencies)
  reportBack({ type: 'DONE', result: { done: latencies.length, failures, latency_ms, window_ms } })
}

function obey(command: Command): Promise<void> {
  switch (command.type) {
    case 'OPEN':
      return open(command)
    case 'LINK':
      return linkUsers()
    case 'RUN':
      return run(command)
  }
}

process.on('message', (command: Command) => {
  obey(command).catch((error: unknown) => {
    reportBack({
      type: 'BROKEN',
      why: error instanceof Error ? (error.stack ?? '') : String(error),
    })
  })
})
process.on('disconnect', () => process.exit(0))
