/** Funds out as an operator takes them, on a real database. */
import {
  type AuditLog,
  collectAudit,
  deferredNet,
  differencesIn,
  fulfil,
  fulfilItem,
  onboard,
  openHubAccounts,
  openWorld,
  patient,
  prepare,
  prepareItem,
  valueOf,
  wordsOf,
  type ParticipantLifecycleWorld,
} from '@causeway/participant-lifecycle/testing'
import { randomUUID } from 'node:crypto'
import type { Calls } from '@causeway/grpc'
import { fundsService, type FundsMovement } from '@causeway/protos'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'

let hub: ParticipantLifecycleWorld
let funds: Calls<typeof fundsService>
let audit: AuditLog

beforeAll(async () => {
  hub = await openWorld({ fundsSweep_ms: 100 })
  funds = hub.parts.grpc.client(fundsService, 'participant-lifecycle')
  audit = await collectAudit(hub)
  await openHubAccounts(hub)
  await onboard(hub, 'bluewallet')
}, 60_000)

afterAll(async () => {
  expect(await differencesIn(hub)).toEqual([])
  await hub.stop()
}, 60_000)

async function coverAccount(name: string): Promise<number> {
  const { balances } = await hub.participants.RequestAccountsPositions({ name, currency: 'USD' })
  return balances?.accounts.find((one) => one.ledgerAccountType === 'SETTLEMENT')?.id ?? 0
}

async function instruction(name: string, amount: string, transferId: string = randomUUID()) {
  return {
    transferId,
    name,
    accountId: await coverAccount(name),
    kind: 'WITHDRAWAL' as const,
    amount,
    currency: 'USD',
    externalReference: 'bank 7',
    explanation: 'less business',
    actor: 'ada',
  }
}

function wordOf(answer: {
  readonly movement?: FundsMovement | null
  readonly refusal?: { readonly reason: string } | null
}): string {
  if (answer.refusal) return answer.refusal.reason
  const { state = '', stateReason } = answer.movement ?? {}
  return stateReason === undefined ? state : `${state} ${stateReason}`
}

async function reserve(name: string, amount: string, transferId?: string): Promise<string> {
  return wordOf(
    await funds.RecordFundsOutPrepareReserve(await instruction(name, amount, transferId), patient),
  )
}

test('Funds out held before a settlement do not pay what it left unpaid', async () => {
  const name = 'duebank'
  await onboard(hub, name, '5000')
  const item = prepareItem({ payerFsp: name, amount: '100' })
  await prepare(hub, item)
  await fulfil(hub, fulfilItem(item.transferId))
  const [committed, aborted] = [randomUUID(), randomUUID()]
  expect(await reserve(name, '200', committed)).toBe('RESERVED')
  expect(await reserve(name, '300', aborted)).toBe('RESERVED')
  const entry = {
    entryId: randomUUID(),
    debitAccountType: 'HUB_MULTILATERAL_SETTLEMENT',
    creditParticipant: name,
    creditAccountType: 'POSITION',
    amount: '100',
    currency: 'USD',
    awaitsFundsOut: true,
  }
  const posted = await hub.ledger.PostSettlementEntries({
    settlementId: 1,
    entries: [entry],
    isFirst: false,
  })
  expect(posted.outcome).toBe('POSTED')
  const sending = async (amount: string) => {
    const [word] = wordsOf(await prepare(hub, prepareItem({ payerFsp: name, amount })))
    return word
  }
  expect(await sending('401')).toBe('REFUSED COVER_SHORT')
  expect(await complete('Abort', name, aborted)).toMatch(/^ABORTED_REJECTED/)
  expect(await complete('Commit', name, committed)).toBe('COMMITTED')
  expect(await sending('701')).toBe('REFUSED COVER_SHORT')
  expect(await sending('700')).toBe('RESERVED')
}, 60_000)

async function complete(how: 'Commit' | 'Abort', name: string, transferId: string) {
  const accountId = await coverAccount(name)
  const message = { transferId, name, accountId, explanation: 'done', actor: 'ada' }
  return wordOf(await funds[`RecordFundsOut${how}`](message, patient))
}

describe('funds out', () => {
  test('Funds out have a UUID or a ULID, so that they cannot take an id of the ledger', async () => {
    for (const id of ['', `fee-${randomUUID()}`, 'bank slip 7', `${randomUUID()}0`]) {
      expect(await reserve('Hub', '1', id)).toBe('INVALID')
    }
  })

  test('Funds out are held, then committed, with one audit entry per step', async () => {
    await onboard(hub, 'greenbank')
    const id = randomUUID()
    const bank = Number(await valueOf(hub, 'Hub', 'HUB_RECONCILIATION'))
    expect(await reserve('greenbank', '10', id)).toBe('RESERVED')
    expect(await valueOf(hub, 'greenbank', 'SETTLEMENT')).toBe('-990')
    expect(await reserve('greenbank', '10', id)).toBe('RESERVED')
    expect(await complete('Commit', 'greenbank', id)).toBe('COMMITTED')
    expect(await complete('Commit', 'greenbank', id)).toBe('COMMITTED')
    expect(await complete('Abort', 'greenbank', id)).toBe('FUNDS_STATE_WRONG')
    expect(await valueOf(hub, 'greenbank', 'SETTLEMENT')).toBe('-990')
    expect(await valueOf(hub, 'Hub', 'HUB_RECONCILIATION')).toBe(String(bank - 10))
    const entries = await audit.about(`participants/greenbank/funds/${id}`, 2)
    expect(
      entries.map(({ actionType, securityContext, before, after }) => [
        actionType,
        securityContext.userId,
        before,
        after,
      ]),
    ).toEqual([
      ['recordFundsOutPrepareReserve', 'ada', null, expect.objectContaining({ state: 'RESERVED' })],
      [
        'recordFundsOutCommit',
        'ada',
        { state: 'RESERVED' },
        expect.objectContaining({ state: 'COMMITTED', amount: '10', currency: 'USD' }),
      ],
    ])
  })

  test('Aborted funds out are cover again', async () => {
    await onboard(hub, 'redpay')
    const id = randomUUID()
    await reserve('redpay', '1000', id)
    expect(wordsOf(await prepare(hub, prepareItem({ payerFsp: 'redpay' })))).toEqual([
      'REFUSED COVER_SHORT',
    ])
    expect(await complete('Abort', 'redpay', id)).toBe('ABORTED_REJECTED ABORTED')
    expect(await complete('Abort', 'redpay', id)).toBe('ABORTED_REJECTED ABORTED')
    expect(await complete('Commit', 'redpay', id)).toBe('FUNDS_STATE_WRONG')
    expect(wordsOf(await prepare(hub, prepareItem({ payerFsp: 'redpay' })))).toEqual(['RESERVED'])
  })

  test('Funds out beyond the available cover are stored as refused, and stay refused', async () => {
    await onboard(hub, 'owingbank')
    await prepare(hub, prepareItem({ payerFsp: 'owingbank', amount: '400' }))
    const id = randomUUID()
    expect(await reserve('owingbank', '600.0001', id)).toBe('ABORTED_REJECTED COVER_SHORT')
    expect(await reserve('owingbank', '600.0001', id)).toBe('ABORTED_REJECTED COVER_SHORT')
    expect(await complete('Commit', 'owingbank', id)).toBe('FUNDS_STATE_WRONG')
    expect(await reserve('owingbank', '600')).toBe('RESERVED')
    const { movements } = await funds.ListFundsMovements({
      name: 'owingbank',
      limit: 2,
    })
    expect(movements).toMatchObject([
      { direction: 'OUT', state: 'RESERVED', amount: '600', explanation: 'less business' },
      { direction: 'OUT', state: 'ABORTED_REJECTED', stateReason: 'COVER_SHORT' },
    ])
  })

  test('Expired funds out are cover again and cannot be committed', async () => {
    await onboard(hub, 'slowbank')
    const id = randomUUID()
    expect(await reserve('slowbank', '100', id)).toBe('RESERVED')
    await hub.sql(`update entries set expires_at = clock_timestamp() where id = '${id}'`)
    await audit.about(`participants/slowbank/funds/${id}`, 2)
    expect(await valueOf(hub, 'slowbank', 'SETTLEMENT')).toBe('-1000')
    expect(await complete('Commit', 'slowbank', id)).toBe('FUNDS_EXPIRED')
  })

  test('Funds out of a participant in a state that forbids them are refused', async () => {
    await onboard(hub, 'shutbank')
    const name = 'shutbank'
    const state = {
      name,
      isActive: false,
      stateName: 'SUSPENDED',
      explanation: 'late',
      actor: 'ada',
    }
    await hub.participants.UpdateParticipantState(state)
    expect(await reserve(name, '1')).toBe('PARTICIPANT_INACTIVE')
    await hub.participants.UpdateParticipantState({ ...state, stateName: 'CLOSED' })
    expect(await reserve(name, '1')).toBe('RESERVED')
    expect(await reserve('nobody', '1')).toBe('PARTICIPANT_UNKNOWN')
    expect(await complete('Commit', name, randomUUID())).toBe('FUNDS_UNKNOWN')
  })

  test('Funds are listed in pages, newest first', async () => {
    await onboard(hub, 'pagebank')
    for (const amount of ['1', '2', '3']) await reserve('pagebank', amount)
    const query = { name: 'pagebank', limit: 3 }
    const first = await funds.ListFundsMovements(query)
    const second = await funds.ListFundsMovements({ ...query, cursor: first.cursor })
    const amounts = [...first.movements, ...second.movements].map(({ amount }) => amount)
    expect(amounts).toEqual(['3', '2', '1', '1000'])
    expect(second.cursor).toBeUndefined()
  })
})

test('Concurrent funds out never exceed the available cover', async () => {
  let round = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 5, maxLength: 40 }),
      async (amounts) => {
        const name = `crowd-${round++}`
        await onboard(hub, name)
        const messages = await Promise.all(amounts.map((amount) => instruction(name, `${amount}`)))
        const answers = await Promise.all(
          messages.map(async (message) =>
            wordOf(await funds.RecordFundsOutPrepareReserve(message, patient)),
          ),
        )
        const taken = amounts.filter((_, index) => answers[index] === 'RESERVED')
        const sum = taken.reduce((total, amount) => total + amount, 0)
        expect(sum).toBeLessThanOrEqual(1_000)
        expect(await valueOf(hub, name, 'SETTLEMENT')).toBe(String(sum - 1_000))
        const left = 1_000 - sum
        const refused = amounts.filter((_, index) => answers[index] !== 'RESERVED')
        expect(refused.every((amount) => amount > left)).toBe(true)
      },
    ),
    { numRuns: 8 },
  )
}, 120_000)

test('With COMPATIBILITY=mojaloop only the deposit is a bound, except under gross settlement', async () => {
  const other = await openWorld({ COMPATIBILITY: 'mojaloop' })
  const there = other.parts.grpc.client(fundsService, 'participant-lifecycle')
  try {
    await openHubAccounts(other)
    await onboard(other, 'greenbank')
    await onboard(other, 'bluewallet')
    await prepare(other, prepareItem({ amount: '400' }))
    const { balances } = await other.participants.RequestAccountsPositions({
      name: 'greenbank',
      currency: 'USD',
    })
    const accountId =
      balances?.accounts.find((one) => one.ledgerAccountType === 'SETTLEMENT')?.id ?? 0
    const taking = async (amount: string) =>
      wordOf(
        await there.RecordFundsOutPrepareReserve({
          ...(await instruction('greenbank', amount)),
          accountId,
        }),
      )
    expect(await taking('700')).toBe('RESERVED')
    other.models.splice(0, 1, { ...deferredNet, granularity: 'GROSS' })
    expect(await taking('1')).toBe('ABORTED_REJECTED COVER_SHORT')
  } finally {
    await other.stop()
  }
}, 60_000)
