import { describe, expect, test } from '@jest/globals'
import { endsOf, wasInTime } from './model.ts'
import type { PlannedTransfer } from '../plan/plan.ts'
import { mayBeOff, wasOff } from '../switches.ts'
import { newRecord, type PayeeMessage, type TransferRecord } from '../record.ts'

const planned: PlannedTransfer = {
  payer: 'mango',
  payee: 'river',
  amount: '1',
  begins_ms: 0,
  valid_ms: 1_000,
  leads: [],
  answers: ['FULFIL'],
  again: [],
}

function asked(kind?: PayeeMessage['kind'], ...received_ms: number[]): TransferRecord {
  const record = newRecord('1', planned)
  Object.assign(record, { expires_ms: 1_000, asked: 1 })
  record.prepare.received_ms.push(0)
  if (kind !== undefined) record.sent.push({ kind, received_ms, status: 200 })
  return record
}

const ends = (record: TransferRecord, isUndisturbed = true, off = false, isCapped = false) => [
  ...endsOf(record, { isUndisturbed, mayBeOff: off, isCapped }),
]

describe('what the model permits', () => {
  test.each([
    ['FULFIL', ['COMMITTED'], ['EXPIRED']],
    ['REJECT', ['REJECTED'], ['REJECTED', 'EXPIRED']],
    ['WRONG', ['INVALID'], ['INVALID', 'EXPIRED']],
  ] as const)('%s ends a transfer as %j in time, as %j at its expiration', (kind, inTime, late) => {
    expect(ends(asked(kind, 999))).toEqual(inTime)
    expect(ends(asked(kind, 1_000))).toEqual(late)
  })

  test('Where one try was in time and another was not, either end is right', () => {
    expect(ends(asked('FULFIL', 900, 1_100))).toEqual(['COMMITTED', 'EXPIRED'])
    expect(wasInTime(asked('FULFIL', 900, 1_100))).toBe(false)
    expect(wasInTime(asked('FULFIL', 900))).toBe(true)
  })

  test('The first message of the payee FSP decides', () => {
    const record = asked('REJECT', 100)
    record.sent.push({ kind: 'FULFIL', received_ms: [200], status: 200 })
    expect(ends(record)).toEqual(['REJECTED'])
  })

  test('A payee FSP that never answers lets the transfer expire', () => {
    expect(ends(asked())).toEqual(['EXPIRED'])
  })

  test('A payer FSP without funds and an unknown payee FSP are refused, and nobody is asked', () => {
    const poor = newRecord('1', { ...planned, payer: 'poor' })
    expect(ends(poor)).toEqual(['NO_COVER'])
    expect(ends(poor, false)).toEqual(['NO_COVER', 'EXPIRED'])
    expect(ends(newRecord('1', { ...planned, payee: 'nobody' }))).toEqual(['UNKNOWN_PAYEE'])
    expect(ends({ ...asked('FULFIL', 100), planned: { ...planned, payer: 'poor' } })).toEqual([])
  })

  test('An FSP that may be off may be refused, but not after its payee FSP was asked', () => {
    expect(ends(newRecord('1', planned), true, true)).toEqual(['INVALID'])
    expect(ends(asked('FULFIL', 100), true, true)).toEqual(['COMMITTED'])
  })

  test('What the cap has refused ends so, and only that', () => {
    expect(ends(newRecord('1', planned), true, false, true)).toEqual(['CAP_REACHED'])
    expect(ends(asked('FULFIL', 100), true, false, true)).toEqual(['COMMITTED'])
  })

  test('A request that the payee FSP refuses by its status is not taken', () => {
    const refused = { ...newRecord('1', planned), isRefused: true }
    expect(ends(refused)).toEqual(['NOT_TAKEN'])
    expect(ends(newRecord('1', planned))).toEqual([])
  })

  test('Without faults a funded request reaches the payee FSP', () => {
    expect(ends(newRecord('1', planned))).toEqual([])
  })
})

describe('whether an FSP was off', () => {
  const switched = (isActive: boolean, sent_ms: number, done_ms: number) => {
    return { fsp: 'river', isActive, sent_ms, done_ms }
  }
  const off = [switched(false, 100, 200), switched(true, 300, 400)]
  const paid = (from_ms: number, to_ms: number, payer = 'mango') => ({
    payer,
    payee: payer === 'mango' ? 'river' : 'nobody',
    from_ms,
    to_ms,
  })

  test.each([
    [0, 99, false, false],
    [0, 100, true, false],
    [200, 300, true, true],
    [199, 300, true, false],
    [200, 301, true, false],
    [400, 500, true, false],
    [401, 500, false, false],
  ])('A payment from %i to %i ms: perhaps %s, surely %s', (from_ms, to_ms, perhaps, surely) => {
    expect(mayBeOff(paid(from_ms, to_ms), off)).toBe(perhaps)
    expect(wasOff(paid(from_ms, to_ms), off)).toBe(surely)
  })

  test('A switch on by another operator ends what an earlier one has switched off', () => {
    const overlapping = [
      switched(false, 100, 200),
      switched(false, 500, 600),
      switched(true, 800, 900),
      switched(true, 1_100, 1_200),
    ]
    expect(wasOff(paid(600, 800), overlapping)).toBe(true)
    expect(wasOff(paid(950, 1_000), overlapping)).toBe(false)
    expect(mayBeOff(paid(950, 1_000), overlapping)).toBe(false)
    expect(mayBeOff(paid(850, 1_000), overlapping)).toBe(true)
  })

  test('Others are not concerned', () => {
    expect(mayBeOff(paid(200, 300, 'poor'), off)).toBe(false)
    expect(wasOff(paid(200, 300, 'poor'), off)).toBe(false)
  })
})
