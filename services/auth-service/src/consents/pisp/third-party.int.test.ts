/** Payments that PISPs begin, on a real database: stored messages and query results. */
import { hash, randomUUID } from 'node:crypto'
import type { Handlers } from '@causeway/grpc'
import { ensureMonthlyPartitions, statement, type Database } from '@causeway/postgres'
import type {
  ThirdPartyRecord,
  ThirdPartySearch,
  thirdPartyTransactionsService,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ownDatabase } from '../../testing/world.ts'
import { stepOf, type ThirdPartyEvent } from './contract.ts'
import { eraseDescriptions } from './record-store.ts'
import { serveThirdParties } from './serve.ts'
import { saveSteps } from './store.ts'

const pisp = 'pispx'
const dfsp = 'bankx'
const owner = 'centralAuth'
const now = new Date('2026-01-15T12:01:00.000Z')
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 15, 12, 0, seconds)).toISOString()

let parts: TestParts
let db: Database
let served: Handlers<typeof thirdPartyTransactionsService>

beforeAll(async () => {
  parts = await openTestParts()
  db = await ownDatabase(parts, 4)
  await ensureMonthlyPartitions(db, ['third_party_steps'], now)
  served = serveThirdParties({ db, participant: owner })
})

afterAll(async () => {
  await db.close()
  await parts.stop()
})

const call = { signal: new AbortController().signal, left_ms: () => 2_000, callers: ['admin'] }

/** One payment with its own ids, and each of its messages. */
function newPayment() {
  const ids = { request: randomUUID(), authorization: randomUUID(), verification: randomUUID() }
  const [transactionId, consentId, challenge] = [randomUUID(), randomUUID(), randomUUID()]
  const challengeHash = hash('sha256', challenge, 'base64url')
  const envelope = () => ({
    id: randomUUID(),
    time: at(0),
    maybeDuplicate: false,
    traceparent: undefined,
  })
  const toDfsp = { sourceFspId: pisp, destinationFspId: dfsp }
  const toPisp = { sourceFspId: dfsp, destinationFspId: pisp }
  const transaction = (payload: object): ThirdPartyEvent => ({
    ...envelope(),
    relay: undefined,
    name: 'ThirdPartyTransactionObserved',
    payload: {
      transactionRequestId: ids.request,
      method: 'PUT',
      ...toPisp,
      receivedAt: at(0),
      ...payload,
    },
  })
  const authorization = (payload: object): ThirdPartyEvent => ({
    ...envelope(),
    relay: undefined,
    name: 'ThirdPartyAuthorizationObserved',
    payload: {
      authorizationRequestId: ids.authorization,
      method: 'PUT',
      ...toDfsp,
      receivedAt: at(3),
      ...payload,
    },
  })
  const body = {
    verificationRequestId: ids.verification,
    challenge,
    consentId,
    signedPayloadType: 'GENERIC',
    genericValue: 'c2ln',
  }
  return {
    ...ids,
    transactionId,
    consentId,
    asked: transaction({ method: 'POST', ...toDfsp }),
    received: transaction({
      receivedAt: at(1),
      transactionRequestState: 'RECEIVED',
      transactionId,
    }),
    authorize: authorization({
      method: 'POST',
      ...toPisp,
      receivedAt: at(2),
      transactionRequestId: ids.request,
      challengeHash,
    }),
    signed: authorization({ responseType: 'ACCEPTED' }),
    verify: {
      ...envelope(),
      relay: { body: Buffer.from(JSON.stringify(body)) },
      name: 'VerificationReceived',
      payload: {
        verificationRequestId: ids.verification,
        consentId,
        requesterFspId: dfsp,
        version: '1.0',
        receivedAt: at(4),
      },
    } as const satisfies ThirdPartyEvent,
    completed: transaction({
      method: 'PATCH',
      receivedAt: at(6),
      transactionRequestState: 'ACCEPTED',
      transactionState: 'COMPLETED',
    }),
    failed: transaction({
      receivedAt: at(6),
      error: { errorCode: '6003', errorDescription: 'downstream failure of Amara' },
    }),
    transaction,
    authorization,
  }
}

function save(...events: readonly ThirdPartyEvent[]): Promise<void> {
  const steps = events.map((event) => stepOf(event, owner))
  return saveSteps(db, steps, now)
}

const insertVerification = statement(`
  insert into verifications (id, consent_id, dfsp, request_event_id, request_hash, signed_hash, reason,
    detail, decided_at)
  values ($1, $2, '${dfsp}', gen_random_uuid(), sha256('a'),
    case when $3::text is null then sha256($1::text::bytea) end, $3::text, '', $4)`)

const forgetConsent = statement(
  'update third_party_transactions set consent_id = null where id = $1',
)

function decided(payment: ReturnType<typeof newPayment>, reason: string | null): Promise<unknown> {
  return db.query(insertVerification, [
    payment.verification,
    payment.consentId,
    reason,
    new Date(at(5)),
  ])
}

async function recordOf(transactionRequestId: string): Promise<ThirdPartyRecord | undefined> {
  const asked = { transactionRequestId }
  const { record } = await served.GetThirdPartyTransaction(asked, call)
  return record ?? undefined
}

/** As they are stored, for a search by consent. */
async function consentsOf(payments: readonly ReturnType<typeof newPayment>[]) {
  const transactionRequestIds = payments.map(({ request }) => request)
  const { transactions } = await served.FindThirdPartyTransactions({ transactionRequestIds }, call)
  const found = new Map(transactions.map((each) => [each.transactionRequestId, each.consentId]))
  return transactionRequestIds.map((id) => found.get(id))
}

async function toldOf(transactionRequestId: string): Promise<readonly string[]> {
  const record = await recordOf(transactionRequestId)
  return (record?.steps ?? []).map(({ sourceFspId, method, about, result, errorCode }) =>
    [sourceFspId, method, about, result, errorCode].filter((word) => word !== undefined).join(' '),
  )
}

const whole = [
  'pispx POST TRANSACTION',
  'bankx PUT TRANSACTION RECEIVED',
  'bankx POST AUTHORIZATION',
  'pispx PUT AUTHORIZATION ACCEPTED',
  'bankx POST VERIFICATION',
  'centralAuth PUT VERIFICATION VERIFIED',
  'bankx PATCH TRANSACTION ACCEPTED',
]

describe('a payment from its request to its end', () => {
  test('A payment is stored with its FSPs, times and consent, and each of its messages', async () => {
    const payment = newPayment()
    const { asked, received, authorize, signed, verify, completed } = payment
    await save(asked)
    await save(received, authorize)
    await save(signed, verify)
    await decided(payment, null)
    await save(completed)
    const record = await recordOf(payment.request)
    expect(record?.summary).toEqual({
      transactionRequestId: payment.request,
      transactionId: payment.transactionId,
      consentId: payment.consentId,
      pispId: pisp,
      dfspId: dfsp,
      state: 'ACCEPTED',
      transactionState: 'COMPLETED',
      requestedAt: at(0),
      endedAt: at(6),
    })
    expect(await toldOf(payment.request)).toEqual(whole)
  })

  test('A payment is stored the same in one batch, in any order, and when messages are repeated', async () => {
    const payment = newPayment()
    const { asked, received, authorize, signed, verify, completed } = payment
    await decided(payment, null)
    await save(verify)
    await save(signed, asked, received, completed)
    await save(authorize)
    await save(asked, received, completed, verify, authorize, signed)
    const record = await recordOf(payment.request)
    expect(record?.summary).toMatchObject({ state: 'ACCEPTED', consentId: payment.consentId })
    expect(await toldOf(payment.request)).toEqual(whole)
  })

  const orders = [
    ['asked', 'authorize', 'verify'],
    ['asked', 'verify', 'authorize'],
    ['authorize', 'asked', 'verify'],
    ['authorize', 'verify', 'asked'],
    ['verify', 'asked', 'authorize'],
    ['verify', 'authorize', 'asked'],
  ] as const

  test.each(orders)(
    'The consent of a payment is known once %s, %s and %s have arrived',
    async (...order) => {
      const payment = newPayment()
      for (const name of order) await save(payment[name])
      expect(await consentsOf([payment])).toEqual([payment.consentId])
    },
  )

  test('The consents of payments are known when their messages arrive at the same time', async () => {
    const payments = Array.from({ length: 200 }, () => newPayment())
    for (const { asked, authorize, verify } of payments) {
      await Promise.all([asked, authorize, verify].map((message) => save(message)))
    }
    expect(await consentsOf(payments)).toEqual(payments.map(({ consentId }) => consentId))
  })

  test('The consent of a payment is known though the process ended before it was looked for', async () => {
    const payment = newPayment()
    const { asked, authorize, verify } = payment
    await save(asked, authorize, verify)
    await db.query(forgetConsent, [payment.request])
    await save(asked, authorize, verify)
    expect(await consentsOf([payment])).toEqual([payment.consentId])
  })

  test('A failed payment has the error and the reason why the signature was refused', async () => {
    const payment = newPayment()
    const { asked, received, authorize, signed, verify, failed } = payment
    await decided(payment, 'SIGNATURE_INVALID')
    await save(asked, received, authorize, signed, verify, failed)
    expect(await toldOf(payment.request)).toEqual([
      ...whole.slice(0, 5),
      'centralAuth PUT VERIFICATION 6201',
      'bankx PUT TRANSACTION 6003',
    ])
    const record = await recordOf(payment.request)
    expect(record?.summary).toMatchObject({ state: 'FAILED', errorCode: '6003', endedAt: at(6) })
  })

  test("A payment is found by the transaction id of its DFSP, but not by another FSP's", async () => {
    const payment = newPayment()
    await save(payment.asked, payment.received)
    const find = async (dfspId: string) => {
      const { transactionId } = payment
      const asked = { transaction: { transactionId, dfspId } }
      const { record } = await served.GetThirdPartyTransaction(asked, call)
      return record?.summary?.transactionRequestId
    }
    expect(await find(dfsp)).toBe(payment.request)
    expect(await find('stranger')).toBeUndefined()
  })
})

test('Messages of another FSP with the same ids change nothing and are not shown', async () => {
  const payment = newPayment()
  const { asked, authorize, transaction, authorization } = payment
  const stranger = { sourceFspId: 'stranger' }
  await save(
    asked,
    transaction({ method: 'POST', ...stranger, destinationFspId: dfsp }),
    transaction({ ...stranger, method: 'PATCH', transactionRequestState: 'ACCEPTED' }),
    authorize,
    authorization({ ...stranger, responseType: 'REJECTED' }),
  )
  const record = await recordOf(payment.request)
  expect(record?.summary).toMatchObject({ pispId: pisp, state: 'REQUESTED' })
  expect(record?.summary?.endedAt).toBeUndefined()
  expect(await toldOf(payment.request)).toEqual([whole[0], whole[2]])
})

test('An invalid transaction id of a DFSP names no transaction', async () => {
  const payment = newPayment()
  await save(payment.asked, payment.transaction({ transactionId: 'x'.repeat(65) }))
  expect((await recordOf(payment.request))?.summary?.transactionId).toBeUndefined()
})

test('Transactions are found by id, FSP, role, consent, state and time, in pages', async () => {
  const payments = [newPayment(), newPayment(), newPayment()]
  const other = `pisp${randomUUID().slice(0, 8)}`
  for (const [n, { transaction }] of payments.entries()) {
    const between = { method: 'POST', sourceFspId: other, destinationFspId: dfsp }
    await save(transaction({ ...between, receivedAt: at(10 + n) }))
  }
  const [oldest, middle, newest] = payments.map(({ request }) => request)
  const asked = { fspId: other, limit: 2 }
  const find = async (changes: Partial<ThirdPartySearch>) => {
    const page = await served.SearchThirdPartyTransactions({ ...asked, ...changes }, call)
    const ids = page.transactions.map(({ transactionRequestId }) => transactionRequestId)
    return { ids, next: page.next }
  }
  const first = await find({})
  expect(first.ids).toEqual([newest, middle])
  expect(await find({ after: first.next ?? '' })).toEqual({ ids: [oldest], next: undefined })
  expect((await find({ from: at(11), to: at(12) })).ids).toEqual([middle])
  expect((await find({ transactionRequestId: middle ?? '' })).ids).toEqual([middle])
  expect((await find({ pispId: other, dfspId: dfsp })).ids).toEqual([newest, middle])
  expect((await find({ dfspId: other })).ids).toEqual([])
  expect((await find({ pispId: dfsp })).ids).toEqual([])
  expect((await find({ state: 'ACCEPTED' })).ids).toEqual([])
  expect((await find({ consentId: randomUUID() })).ids).toEqual([])
})

test('Several transactions are found at once, and unknown ids are left out', async () => {
  const [one, other] = [newPayment(), newPayment()]
  await save(one.asked, other.asked)
  const transactionRequestIds = [one.request, randomUUID(), other.request, one.request]
  const { transactions } = await served.FindThirdPartyTransactions({ transactionRequestIds }, call)
  expect(transactions.map(({ transactionRequestId }) => transactionRequestId).toSorted()).toEqual(
    [one.request, other.request].toSorted(),
  )
})

test('Error descriptions of FSPs are erased with the consent', async () => {
  const [payment, another] = [newPayment(), newPayment()]
  for (const { asked, authorize, verify, failed } of [payment, another]) {
    await save(asked, authorize, verify, failed)
  }
  await eraseDescriptions(db, payment.consentId)
  const erased = await recordOf(payment.request)
  expect(JSON.stringify(erased)).not.toContain('Amara')
  expect(erased?.summary).toMatchObject({ state: 'FAILED', errorCode: '6003' })
  expect(JSON.stringify(await recordOf(another.request))).toContain('Amara')
})

describe('transactions are verified', () => {
  const setState = statement(`
    update third_party_transactions set state = $2 where id = $1 and state <> 'FAILED'`)
  const forget = statement('delete from third_party_steps where subject_id = $1')
  const differing = async (id: string) => {
    const { differences } = await served.VerifyThirdPartyTransactions({}, call)
    return differences.filter((sentence) => sentence.includes(id))
  }

  test('A transaction is verified against the messages of its FSP as long as these are stored', async () => {
    const [paid, failed, open] = [newPayment(), newPayment(), newPayment()]
    await save(paid.asked, paid.received, paid.completed, failed.asked, failed.failed, open.asked)
    const before = await served.VerifyThirdPartyTransactions({}, call)
    expect(before.differences).toEqual([])
    expect(before.compared).toBeGreaterThanOrEqual(3)
    for (const state of ['REJECTED', 'REQUESTED']) {
      await db.query(setState, [paid.request, state])
      expect(await differing(paid.request)).toEqual([
        `third-party transaction ${paid.request} is ${state}, which contradicts the messages of its DFSP`,
      ])
    }
    await db.query(setState, [open.request, 'ACCEPTED'])
    expect(await differing(open.request)).toHaveLength(1)
    for (const { request } of [paid, open]) await db.query(forget, [request])
    const after = await served.VerifyThirdPartyTransactions({}, call)
    expect(after).toEqual({ compared: before.compared - 2, differences: [] })
  })

  test('Messages of other FSPs with its id are no difference', async () => {
    const { asked, transaction, request } = newPayment()
    const stranger = { sourceFspId: 'stranger', transactionRequestState: 'REJECTED' }
    await save(asked, transaction({ receivedAt: at(1), ...stranger }))
    expect(await differing(request)).toEqual([])
  })
})

test('An operator sees which months of the messages of a transaction are archived', async () => {
  const payment = newPayment()
  await save(payment.asked, payment.completed)
  expect((await recordOf(payment.request))?.archivedMonths).toEqual([])
  await db.query(
    statement(`update third_party_transactions set requested_at = '2020-02-29' where id = $1`),
    [payment.request],
  )
  expect((await recordOf(payment.request))?.archivedMonths).toEqual(['2020-02'])
})

test('The messages of a transaction are archived by month; the transaction is retained', async () => {
  const payment = newPayment()
  await save(payment.asked, payment.completed)
  await db.query(statement('delete from third_party_steps where subject_id = $1'), [
    payment.request,
  ])
  expect((await recordOf(payment.request))?.summary).toMatchObject({ state: 'ACCEPTED' })
  const [row] = await db.query<{ comment: string }>(
    statement(`select obj_description('third_party_steps'::regclass) as comment`),
    [],
  )
  expect(row?.comment).toBe('archived by month')
})
