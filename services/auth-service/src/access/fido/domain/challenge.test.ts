import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { challengeFault, isOfUser, type Use, type UsedChallenge } from './challenge.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const later = new Date('2030-01-01T00:02:00.000Z')

const challenge: UsedChallenge = {
  challenge: 'AAAA',
  realm: 'USER',
  purpose: 'AUTHORIZE',
  userId: 'ada',
  transactionId: 't-1',
  transactionHash: 'h-1',
  expiresAt: later,
  isFirstUse: true,
}
const use: Use = {
  realm: 'USER',
  purposes: ['AUTHORIZE'],
  userId: 'ada',
  transactionId: 't-1',
  transactionHash: 'h-1',
}

test('A challenge is accepted for its purpose, its user and its transaction before its end', () => {
  expect(challengeFault(challenge, use, now)).toBeUndefined()
})

describe('a refused challenge', () => {
  test('An unknown challenge is refused', () => {
    expect(challengeFault(undefined, use, now)).toMatch(/not made here/)
  })

  test.each<[string, Partial<UsedChallenge>, Partial<Use>, Date, RegExp]>([
    ['that was used', { isFirstUse: false }, {}, now, /used before/],
    ['at its end', {}, {}, later, /expired/],
    ['of the other realm', { realm: 'OPERATOR' }, {}, now, /another purpose/],
    ['of another purpose', { purpose: 'AUTHENTICATE' }, {}, now, /another purpose/],
    ['of a registration', { purpose: 'REGISTER' }, {}, now, /another purpose/],
    ['of another user', {}, { userId: 'bob' }, now, /another user/],
    ['of any user, for one user', { userId: null }, {}, now, /another user/],
    ['of another transaction', {}, { transactionId: 't-2' }, now, /another transaction/],
    ['of another hash', {}, { transactionHash: 'h-2' }, now, /another transaction/],
  ])('A challenge %s is refused', (_case, changed, changedUse, at, fault) => {
    expect(challengeFault({ ...challenge, ...changed }, { ...use, ...changedUse }, at)).toMatch(
      fault,
    )
  })
})

test('A challenge of one user is answered by that user only, one without a user by any', () => {
  expect(isOfUser(challenge, 'ada')).toBe(true)
  expect(isOfUser(challenge, 'bob')).toBe(false)
  expect(isOfUser({ ...challenge, userId: null }, 'bob')).toBe(true)
})

test('A challenge is accepted only if everything that it is bound to is the same', () => {
  const ids = fc.constantFrom('1', '2')
  const bound = fc.record({ user: ids, transaction: ids, hash: ids, first: fc.boolean() })
  fc.assert(
    fc.property(bound, bound, fc.integer({ min: -2, max: 2 }), (made, used, left_ms) => {
      const fault = challengeFault(
        {
          ...challenge,
          userId: made.user,
          transactionId: made.transaction,
          transactionHash: made.hash,
          isFirstUse: made.first,
          expiresAt: new Date(now.getTime() + left_ms),
        },
        {
          ...use,
          userId: used.user,
          transactionId: used.transaction,
          transactionHash: used.hash,
        },
        now,
      )
      const isSame =
        made.user === used.user && made.transaction === used.transaction && made.hash === used.hash
      expect(fault === undefined).toBe(isSame && made.first && left_ms > 0)
    }),
  )
})
