import {
  reserveRefusalValues,
  voidReasonValues,
  type ReserveRefusal,
  type VoidReason,
} from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import { consequenceOf, healingOf, type LedgerAnswer, type Position } from './ledger-answer.ts'

const position: Position = {
  participantId: 'mangobank',
  accountId: 1,
  currency: 'USD',
  value: '12.5',
  reservedValue: '0',
  changedAt: '2026-01-01T00:00:00.000Z',
}

const reserved: LedgerAnswer = {
  outcome: 'RESERVED',
  settlementModelId: 1,
  payerPosition: position,
}

const posted: LedgerAnswer = {
  outcome: 'POSTED',
  evidence: {
    kind: 'FULFIL',
    eventId: 'event',
    payloadHash: 'hash',
    version: '1.1',
    completedTimestamp: '2026-01-01T00:00:00.000Z',
    fulfilment: 'fulfilment',
    notifyPayee: false,
  },
  settlementModelId: 1,
  settles: 'NET',
  windowId: 1,
  positions: [],
}

const voidedFor = (reason: VoidReason): LedgerAnswer => ({
  outcome: 'VOIDED',
  reason,
  evidence: undefined,
  payerPosition: undefined,
})

const refusedFor = (reason: ReserveRefusal): LedgerAnswer => ({
  outcome: 'REFUSED',
  reason,
  payerPosition: undefined,
})

const invalidPayer = 'TransferPrepareInvalidPayerCheckFailed'
const invalidPayee = 'TransferPrepareInvalidPayeeCheckFailed'
const liquidity = 'TransferPrepareLiquidityCheckFailed'
const rejected = 'TransferRejectRequestProcessed'

/** The table of the design: answer, what RECEIVED becomes, what RESERVED becomes. */
const table: readonly (readonly [string, LedgerAnswer, string, string])[] = [
  ['RESERVED', reserved, 'TransferPrepared', 'stays'],
  ['POSTED', posted, 'TransferCommittedFulfiled', 'TransferCommittedFulfiled'],
  [
    'VOIDED(TIMEOUT)',
    voidedFor('TIMEOUT'),
    'TransferPrepareRequestTimedout',
    'TransferFulfilComitRequestTimedout',
  ],
  ['VOIDED(REJECTED)', voidedFor('REJECTED'), rejected, rejected],
  ['VOIDED(INVALID_FULFILMENT)', voidedFor('INVALID_FULFILMENT'), rejected, rejected],
  ['VOIDED(MISDIRECTED_FULFIL)', voidedFor('MISDIRECTED_FULFIL'), rejected, rejected],
  ['VOIDED(NO_SETTLEMENT_MODEL)', voidedFor('NO_SETTLEMENT_MODEL'), rejected, rejected],
  ['REFUSED(EXPIRED)', refusedFor('EXPIRED'), 'TransferPrepareRequestTimedout', 'alarm'],
  ['REFUSED(PAYER_UNKNOWN)', refusedFor('PAYER_UNKNOWN'), invalidPayer, 'alarm'],
  ['REFUSED(PAYER_INACTIVE)', refusedFor('PAYER_INACTIVE'), invalidPayer, 'alarm'],
  ['REFUSED(PAYER_NO_ACCOUNT)', refusedFor('PAYER_NO_ACCOUNT'), invalidPayer, 'alarm'],
  ['REFUSED(PAYEE_UNKNOWN)', refusedFor('PAYEE_UNKNOWN'), invalidPayee, 'alarm'],
  ['REFUSED(PAYEE_INACTIVE)', refusedFor('PAYEE_INACTIVE'), invalidPayee, 'alarm'],
  ['REFUSED(PAYEE_NO_ACCOUNT)', refusedFor('PAYEE_NO_ACCOUNT'), invalidPayee, 'alarm'],
  ['REFUSED(PAYEE_UNREACHABLE)', refusedFor('PAYEE_UNREACHABLE'), invalidPayee, 'alarm'],
  ['REFUSED(COVER_SHORT)', refusedFor('COVER_SHORT'), liquidity, 'alarm'],
  ['REFUSED(CAP_SHORT)', refusedFor('CAP_SHORT'), liquidity, 'alarm'],
  ['MISMATCH', { outcome: 'MISMATCH' }, 'TransferPrepareDuplicateCheckFailed', 'alarm'],
  ['UNKNOWN', { outcome: 'UNKNOWN' }, 'unfinished', 'alarm'],
  ['TOO_EARLY', { outcome: 'TOO_EARLY', retry_ms: 5 }, 'waits', 'waits'],
  ['FAULT', { outcome: 'FAULT', detail: '' }, 'alarm', 'alarm'],
]

const cell = (becomes: ReturnType<typeof consequenceOf>['RECEIVED']): string =>
  becomes.type === 'moves' ? becomes.announces : becomes.type

describe('Answers of the ledger:', () => {
  test.each(table)(
    'For the answer %s, RECEIVED and RESERVED become what the table defines',
    (...line) => {
      const [, answer, received, reservedCell] = line
      const { RECEIVED, RESERVED } = consequenceOf(answer)
      expect([cell(RECEIVED), cell(RESERVED)]).toEqual([received, reservedCell])
    },
  )

  test('Each refusal and each reason of a void has a line in the table', () => {
    const names = table.map(([name]) => name)
    expect(names).toEqual(expect.arrayContaining(reserveRefusalValues.map((r) => `REFUSED(${r})`)))
    expect(names).toEqual(expect.arrayContaining(voidReasonValues.map((r) => `VOIDED(${r})`)))
  })
})

describe('Long after the expiry:', () => {
  test('A reserved transfer follows a refusal of the ledger, with an alarm', () => {
    expect(healingOf(refusedFor('COVER_SHORT')).RESERVED).toEqual({
      type: 'moves',
      announces: liquidity,
      heals: true,
    })
  })

  test('Answers that the table decides are decided in the same way', () => {
    for (const answer of [reserved, posted, voidedFor('TIMEOUT'), voidedFor('REJECTED')]) {
      expect(healingOf(answer)).toEqual(consequenceOf(answer))
    }
  })

  test('Answers that decide nothing still decide nothing', () => {
    expect(cell(healingOf({ outcome: 'FAULT', detail: '' }).RESERVED)).toBe('alarm')
    expect(cell(healingOf({ outcome: 'UNKNOWN' }).RESERVED)).toBe('alarm')
  })
})
