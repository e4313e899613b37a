import { FromNewerRelease } from '@causeway/bus'
import { describe, expect, test } from '@jest/globals'
import { ZodError } from 'zod'
import { readPayload } from './read.ts'

const allocated = {
  transferId: 't-1',
  payerFsp: 'greenbank',
  payeeFsp: 'bluewallet',
  amount: { amount: '10', currency: 'USD' },
  expiration: '2026-01-01T00:00:00.000Z',
  condition: 'c',
  payloadHash: 'h',
  receivedAt: '2026-01-01T00:00:00.000Z',
  version: '1.1',
  settles: 'NET',
}

const failureOf = (json: unknown) => {
  try {
    readPayload('TransferPrepareAccountsAllocated', json)
    return undefined
  } catch (error) {
    return error
  }
}

test('A payload retains members that this release does not know', () => {
  const json = { ...allocated, priority: 'HIGH', amount: { ...allocated.amount, scale: 4 } }
  expect(readPayload('TransferPrepareAccountsAllocated', json)).toEqual(json)
})

describe('a payload that cannot be read', () => {
  test('A payload that cannot be read is of a newer release when only its values are not known', () => {
    const failure = failureOf({ ...allocated, settles: 'GROSS_AT_NIGHT' })
    expect(failure).toBeInstanceOf(FromNewerRelease)
    expect((failure as Error).message).toContain('settles')
  })

  test.each([
    ['lacks a member', { ...allocated, payerFsp: undefined }],
    ['has a value of another type', { ...allocated, settles: 7 }],
    ['lacks one and has an unknown value', { ...allocated, payerFsp: 7, settles: 'MOON' }],
    ['is nothing', null],
  ])('A payload that cannot be read is wrong when it %s', (_, json) => {
    expect(failureOf(json)).toBeInstanceOf(ZodError)
  })
})
