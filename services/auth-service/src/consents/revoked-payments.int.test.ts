/**
 * No payment begins under a revoked consent: a PISP, a DFSP and the hosted auth service, with
 * payments and revocations in any order, and answers that are repeated or late.
 */
import { createAuthenticator, createFsp, type Fsp, type FspOptions } from '@causeway/fsp'
import { openScheme, type Scheme, type StandInRequest } from '@causeway/fsp/testing'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { randomBytes, randomUUID } from 'node:crypto'
import { hostedAt, type Hosted } from './testing/hosted.ts'
import { dfsp, pisp } from './testing/messages.ts'
import { openWorld, type ConsentsWorld } from './testing/world.ts'

const callbackUri = 'https://app.pispx.example/linked'
const origin = 'https://app.pispx.example'
const mei = { type: 'MSISDN', id: '12025550111', name: 'Mei Example' } as const
const amara = { type: 'MSISDN', id: '12025550101', name: 'Amara Example' } as const

let parts: TestParts
let world: ConsentsWorld
let scheme: Scheme
let hosted: Hosted
let bank: Fsp
let app: Fsp
let payee: Fsp
/** "PUT /consents/…" with its state, in the order in which the DFSP received them. */
let toBank: string[] = []
/** State of the current case. */
let times = () => 1
let onPassed: () => void = () => undefined
let onLate: () => void = () => undefined

beforeAll(async () => {
  parts = await openTestParts()
  world = await openWorld(parts)
  scheme = await openScheme()
  hosted = hostedAt({
    world,
    hubUrl: scheme.hub.url,
    times: () => times(),
    onLate: () => onLate(),
  })
  scheme.join(hosted)
  bank = open(dfsp, {
    dfsp: {
      accountsOf: (userId) => [{ address: addressOf(userId), currency: 'USD' }],
      isTrustedUri: (uri) => uri === callbackUri,
      authUriOf: (id) => `https://bank.example/link/${id}`,
      sendOtp: () => undefined,
      payerAccount: () => ({ state: 'READY', payer: amara }),
    },
  })
  app = open(pisp, {})
  payee = open('wallet', { onLookUp: () => mei })
  scheme.join({ name: dfsp, receive: (message) => noted(message) })
  scheme.join(app)
  scheme.join(payee)
  scheme.passOn((message) => {
    noteGrant(message)
    onPassed()
    return message
  })
  expect(await payee.associate(mei)).toMatchObject({ state: 'DONE' })
}, 60_000)

afterAll(async () => {
  await Promise.all([bank, app, payee].map((fsp) => fsp.close()))
  await scheme.stop()
  await world.db.close()
  await parts.stop()
})

const addressOf = (userId: string) => `${dfsp}.${userId}`

function open(name: string, options: Partial<FspOptions>): Fsp {
  const secret = randomBytes(32)
  return createFsp({ name, hubUrl: scheme.hub.url, secret, resendAfter_ms: 300, ...options })
}

function noted(message: Parameters<Fsp['receive']>[0]) {
  const { method, target, body } = message
  const json = (body.length === 0 ? {} : JSON.parse(body.toString())) as Record<string, unknown>
  toBank.push(`${method} ${target} ${String(json['status'] ?? json['authenticationResponse'])}`)
  return bank.receive(message)
}

/** The edge reports the parties of a consent to the auth service. */
function noteGrant({ method, path, headers, body }: StandInRequest): void {
  if (method !== 'POST' || path !== '/consents') return
  if (headers['fspiop-destination'] !== pisp) return
  const { consentId } = JSON.parse(body.toString()) as { readonly consentId: string }
  hosted.observe(consentId, { dfspId: dfsp, pispId: pisp })
}

const jsonOf = ({ body }: StandInRequest) => JSON.parse(body.toString()) as Record<string, string>

/** A linked account of a new user, the key of the user's device, and payments from the account. */
async function linked() {
  const userId = randomUUID()
  const address = addressOf(userId)
  const device = createAuthenticator()
  const scopes = [{ address, actions: ['ACCOUNTS_TRANSFER'] }]
  const result = await app.pisp.link({
    dfspId: dfsp,
    userId,
    scopes,
    channels: ['WEB'],
    callbackUri,
    async authenticate({ consentRequestId }) {
      const back = await bank.dfsp.grant(consentRequestId, scopes)
      return new URL(back ?? callbackUri).searchParams.get('authToken') ?? undefined
    },
    createCredential: ({ challenge }) =>
      Promise.resolve({
        credentialType: 'FIDO',
        fidoPayload: device.register({ challenge, origin }),
      }),
  })
  if (result.state !== 'LINKED') throw new Error(JSON.stringify(result))
  const pay = () =>
    app.pisp.pay({
      dfspId: dfsp,
      account: address,
      to: { type: mei.type, id: mei.id },
      amount: { currency: 'USD', amount: '10' },
      expiration: new Date(Date.now() + 10_000),
      sign({ challenge }) {
        const bytes = Buffer.from(challenge, 'base64url')
        const fidoSignedPayload = device.assert({ challenge: bytes, origin })
        return Promise.resolve({ signedPayloadType: 'FIDO', fidoSignedPayload })
      },
    })
  return { consentId: result.consentId, pay }
}

const revokers = {
  dfsp: (consentId: string) => bank.dfsp.unlink(consentId),
  pisp: (consentId: string) => app.pisp.unlink(consentId),
  twice: (consentId: string) =>
    Promise.all([app.pisp.unlink(consentId), bank.dfsp.unlink(consentId)]),
} as const

const cases = fc.record({
  payments: fc.integer({ min: 1, max: 3 }),
  revocations: fc.array(
    fc.record({
      by: fc.constantFrom('dfsp', 'pisp', 'twice'),
      /** Number of relayed messages since the first payment began. */
      after: fc.integer({ min: 0, max: 24 }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  repeats: fc.array(fc.constantFrom(0, 1, 2), { minLength: 1, maxLength: 12 }),
  /** One more payment after the end of the consent. */
  paysLater: fc.boolean(),
})

type Case = typeof cases extends fc.Arbitrary<infer Made> ? Made : never

async function carryOut({ payments, revocations, repeats, paysLater }: Case) {
  const { consentId, pay } = await linked()
  let answers = 0
  times = () => repeats[answers++ % repeats.length] ?? 1
  const from = {
    hub: scheme.hub.taken.length,
    bank: toBank.length,
    published: world.published.length,
  }
  const revoking: Promise<unknown>[] = []
  let passed = 0
  let open = revocations
  const revoke = (isDue: (after: number) => boolean) => {
    const due = open.filter(({ after }) => isDue(after))
    open = open.filter((each) => !due.includes(each))
    for (const { by } of due) revoking.push(revokers[by](consentId))
  }
  onPassed = () => revoke((after) => after <= ++passed)
  onLate = () => revoke(() => true)
  const paying = Array.from({ length: payments }, pay)
  const results = await Promise.all(paying)
  // Delivers what was delayed until the end.
  revoke(() => true)
  await Promise.all(revoking)
  await hosted.idle()
  if (paysLater) results.push(await pay())
  onPassed = () => undefined
  await hosted.idle()
  for (const { transactionRequestId } of results) {
    await scheme.hub.received((message) => isEndOf(message, transactionRequestId), 1)
  }
  return {
    results,
    consentId,
    taken: scheme.hub.taken.slice(from.hub),
    toBank: toBank.slice(from.bank),
    published: world.published.slice(from.published),
  }
}

type Course = Awaited<ReturnType<typeof carryOut>>

/** Verification requests whose VERIFIED reached the DFSP before it knew of the revocation. */
function verifiedInTime({ toBank: came, consentId }: Course): readonly string[] {
  const revokedAt = came.findIndex((line) => line === `PATCH /consents/${consentId} REVOKED`)
  expect(revokedAt).toBeGreaterThanOrEqual(0)
  return came
    .slice(0, revokedAt)
    .flatMap((line) => /^PUT .*\/verifications\/(\S+) VERIFIED$/.exec(line)?.[1] ?? [])
}

function checkTransfers(course: Course): void {
  const { taken, results } = course
  const ofPath = (path: string) =>
    taken.filter((message) => message.method === 'POST' && message.path === path).map(jsonOf)
  const inTime = new Set(verifiedInTime(course))
  const challenges = ofPath('/thirdpartyRequests/verifications')
    .filter(({ verificationRequestId = '' }) => inTime.has(verificationRequestId))
    .map(({ challenge }) => challenge)
  const payable = ofPath('/thirdpartyRequests/authorizations')
    .filter(({ challenge }) => challenges.includes(challenge))
    .map(({ transactionRequestId }) => transactionRequestId)
  const transfers = new Set(ofPath('/transfers').map(({ transferId }) => transferId))
  expect(transfers.size).toBeLessThanOrEqual(new Set(payable).size)
  for (const { state, transactionRequestId } of results) {
    if (state === 'COMPLETED') expect(payable).toContain(transactionRequestId)
  }
}

/** The decisions of the auth service, in order. */
function checkDecisions({ published, consentId }: Course): void {
  const own = published.filter(
    ({ payload }) => (payload as { readonly consentId?: string }).consentId === consentId,
  )
  const end = own.findIndex(({ type }) => type === 'ConsentRevoked')
  expect(end).toBeGreaterThanOrEqual(0)
  const later = own.slice(end).map(({ payload }) => payload)
  expect(later).not.toContainEqual(
    expect.objectContaining({ result: { authenticationResponse: 'VERIFIED' } }),
  )
}

function isEndOf({ method, path }: StandInRequest, transactionRequestId: string): boolean {
  const own = `/thirdpartyRequests/transactions/${transactionRequestId}`
  return (method === 'PATCH' && path === own) || path === `${own}/error`
}

function checkEnds({ taken, results }: Course): void {
  for (const { transactionRequestId: id } of results) {
    const ends = taken.filter((message) => isEndOf(message, id))
    expect(new Set(ends.map(({ method, body }) => `${method} ${body.toString()}`)).size).toBe(1)
  }
}

test('No payment begins after a revocation during payments, and each request ends once', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const course = await carryOut(one)
      checkTransfers(course)
      checkDecisions(course)
      checkEnds(course)
    }),
    { numRuns: 40 },
  )
}, 180_000)
