import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { locks, pinAttemptFault, tries_max } from './pin-attempt.ts'

const [account, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const attempt = { blockHash: Buffer.alloc(32), accountHash: account }
const none = { ofKey: 0, ofCaller: 0 }

test('A block is tried if nothing is known of it, and again with the account number of its translation', () => {
  expect(pinAttemptFault(none, undefined, attempt, 10)).toBeUndefined()
  for (const refused of [0, tries_max, 100]) {
    const known = { accountHash: account, refused }
    expect(pinAttemptFault(none, known, attempt, 10)).toBeUndefined()
  }
})

test('A block that was translated is not tried with another account number', () => {
  const known = { accountHash: other, refused: 0 }
  expect(pinAttemptFault(none, known, attempt, 10)?.reason).toBe('PIN_BLOCK_INVALID')
})

test('A block that was not translated is tried a few times', () => {
  const faultAfter = (refused: number) =>
    pinAttemptFault(none, { accountHash: null, refused }, attempt, 10)?.reason
  expect(faultAfter(tries_max - 1)).toBeUndefined()
  expect(faultAfter(tries_max)).toBe('PIN_BLOCK_INVALID')
})

test('Nothing is tried from the bound of refused blocks on, of a key or of a caller, and one refusal reaches it', () => {
  const counts = fc.record({ ofKey: fc.nat(20), ofCaller: fc.nat(20) })
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 20 }), (refusals, max) => {
      const isLocked = refusals.ofKey >= max || refusals.ofCaller >= max
      const fault = pinAttemptFault(refusals, undefined, attempt, max)
      expect(fault?.reason === 'KEY_LOCKED').toBe(isLocked)
      const next = { ofKey: refusals.ofKey + 1, ofCaller: refusals.ofCaller + 1 }
      const isLockedNext = pinAttemptFault(next, undefined, attempt, max) !== undefined
      expect(locks(refusals, max)).toBe(!isLocked && isLockedNext)
    }),
  )
})
