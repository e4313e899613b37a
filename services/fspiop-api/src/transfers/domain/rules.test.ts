import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { reasonAgainstFulfil, reasonAgainstPrepare } from './rules.ts'

const good = {
  source: 'greenbank',
  destination: 'bluewallet',
  payerFsp: 'greenbank',
  payeeFsp: 'bluewallet',
  amount: '1',
  condition: 'YlK5TZyhflbXaDRPtR5zhCu8FrbgvrQwwmzuH0iQ0AI',
} as const
const strict = { onUsAllowed: false }

describe('Rules for a prepare', () => {
  test('A consistent prepare is accepted', () => {
    expect(reasonAgainstPrepare(good, strict)).toBeUndefined()
    expect(reasonAgainstPrepare({ ...good, destination: undefined }, strict)).toBeUndefined()
  })

  test.each([
    ['SOURCE_NOT_PAYER', { source: 'bluewallet' }],
    ['DESTINATION_NOT_PAYEE', { destination: 'redbank' }],
    ['PAYER_IS_PAYEE', { payeeFsp: 'greenbank', destination: undefined }],
    ['AMOUNT_ZERO', { amount: '0' }],
    ['CONDITION_NOT_32_BYTES', { condition: 'short' }],
  ])('A prepare is refused for %s', (reason, changed) => {
    expect(reasonAgainstPrepare({ ...good, ...changed }, strict)).toBe(reason)
  })

  test('A prepare from an FSP to itself is accepted with ON_US_TRANSFERS=on', () => {
    const onUs = { ...good, payeeFsp: 'greenbank', destination: undefined }
    expect(reasonAgainstPrepare(onUs, { onUsAllowed: true })).toBeUndefined()
  })
})

describe('Rules for a fulfil', () => {
  const facts = {
    transferState: 'COMMITTED',
    version: '1.1',
    completedTimestamp: undefined,
    receivedAt: '2026-01-01T00:00:00.000Z',
  } as const
  const bounds = { ahead_ms_max: 200, behind_ms_max: 300_000 }

  test('A fulfil may have RESERVED from version 1.1 on', () => {
    const reserved = { ...facts, transferState: 'RESERVED' } as const
    expect(reasonAgainstFulfil(reserved, undefined)).toBeUndefined()
    expect(reasonAgainstFulfil({ ...reserved, version: '1.0' }, undefined)).toBe(
      'RESERVED_IN_VERSION_1_0',
    )
  })

  test('A fulfil is accepted with any completedTimestamp when there are no bounds', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (completed) => {
        const completedTimestamp = completed.toISOString()
        expect(reasonAgainstFulfil({ ...facts, completedTimestamp }, undefined)).toBeUndefined()
      }),
    )
  })

  test('A fulfil is accepted with a completedTimestamp within the bounds, both of them included', () => {
    fc.assert(
      fc.property(fc.integer({ min: -400_000, max: 400_000 }), (offset_ms) => {
        const completed_ms = Date.parse(facts.receivedAt) + offset_ms
        const completedTimestamp = new Date(completed_ms).toISOString()
        const reason = reasonAgainstFulfil({ ...facts, completedTimestamp }, bounds)
        const isRefused = reason !== undefined
        expect(isRefused).toBe(offset_ms > 200 || offset_ms < -300_000)
      }),
    )
  })
})
