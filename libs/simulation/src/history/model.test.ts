import { describe, expect, test } from '@jest/globals'
import { endsOf, wasInTime } from './model.ts'
import type { PlannedTransfer } from './plan.ts'
import { newRecord, type Ending, type TransferRecord } from './record.ts'

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

function asked(kind?: Ending['kind'], ...received_ms: number[]): TransferRecord {
  const record = newRecord('1', planned)
  Object.assign(record, { expires_ms: 1_000, asked: 1 })
  record.prepare.received_ms.push(0)
  if (kind !== undefined) record.sent.push({ kind, received_ms, status: 200 })
  return record
}

const ends = (record: TransferRecord, isUndisturbed = true) => [...endsOf(record, isUndisturbed)]

describe('what the model permits', () => {
  test.each([
    ['FULFIL', ['COMMITTED'], ['EXPIRED']],
    ['REJECT', ['REJECTED'], ['REJECTED', 'EXPIRED']],
    ['WRONG', ['WRONG_FULFILMENT'], ['WRONG_FULFILMENT', 'EXPIRED']],
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

  test('Without faults a funded request reaches the payee FSP', () => {
    expect(ends(newRecord('1', planned))).toEqual([])
  })
})
