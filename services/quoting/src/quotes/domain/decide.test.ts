import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  decideQuery,
  decideReject,
  decideRepeat,
  decideResponse,
  type Reject,
  type Response,
} from './decide.ts'
import type { Rule } from '../../rules/domain/rule.ts'
import type { Claimed, Quote } from './quote.ts'

const claimed: Claimed = {
  quoteId: 'q',
  payerFsp: 'mangobank',
  currency: 'USD',
  expiresAt: '2026-01-15T12:01:00.000Z',
  requestHash: 'asked',
  payerVersion: '1.0',
  requestEventId: 'request 1',
}
const error = { errorCode: '5103', errorDescription: 'Payee FSP rejected quote' }
const payeeFsp = 'riverwallet'
const outcome = { eventId: 'message 1', hash: 'told' }
const rejected = { state: 'REJECTED', payeeFsp, error, ruleId: undefined } as const
const quotes = {
  PENDING: { ...claimed, state: 'PENDING', payeeFsp },
  ACCEPTED: {
    ...claimed,
    state: 'ACCEPTED',
    payeeFsp,
    outcome,
    transferAmount: 1n,
    validUntil: '2026-01-15T12:05:00.000Z',
  },
  'REJECTED by the payee': { ...claimed, ...rejected, reason: 'REFUSED', outcome },
  'REJECTED by a rule': { ...claimed, ...rejected, reason: 'RULE', ruleId: 'fees', outcome },
  'REJECTED unasked': { ...claimed, ...rejected, reason: 'UNDELIVERED', outcome: undefined },
  EXPIRED: { ...claimed, state: 'EXPIRED', payeeFsp },
} as const satisfies Record<string, Quote>

type Name = keyof typeof quotes
const names = Object.keys(quotes) as Name[]

const received_ms = Date.parse(claimed.expiresAt) - 1
const response: Response = {
  kind: 'RESPONSE',
  eventId: 'message 2',
  quoteId: 'q',
  requesterFspId: payeeFsp,
  destinationFspId: 'mangobank',
  payloadHash: 'told',
  transferAmount: { currency: 'USD', amount: 990_000n },
  fee: undefined,
  commission: undefined,
  validUntil_ms: received_ms + 60_000,
  received_ms,
}
const reject: Reject = {
  kind: 'REJECT',
  eventId: 'message 2',
  quoteId: 'q',
  requesterFspId: payeeFsp,
  destinationFspId: 'mangobank',
  payloadHash: 'told',
  error,
}

/** Decided at once. */
function decided(quote: Quote | undefined, message: Response, rules: readonly Rule[]) {
  return decideResponse(quote, message, rules, message.received_ms)
}

/** A decision in a few words. */
function wordsOf(decision: {
  readonly type: string
  readonly legRole?: string
  readonly error?: string | object
}): string {
  const { type, legRole, error: told } = decision
  const errorText = typeof told === 'object' ? 'stored error' : told
  return [type, legRole, errorText].filter((word) => word !== undefined).join(' ')
}

describe('a request for an id that is taken', () => {
  const repeat = { eventId: 'request 2', payerFsp: 'mangobank', payloadHash: 'asked' }

  test.each<readonly [Name, string]>([
    ['PENDING', 'silence'],
    ['ACCEPTED', 'replay PAYER'],
    ['REJECTED by the payee', 'tell PAYER stored error'],
    ['REJECTED by a rule', 'tell PAYER stored error'],
    ['REJECTED unasked', 'tell PAYER stored error'],
    ['EXPIRED', 'tell PAYER TOO_LATE'],
  ])('that is the same and %s: %s', (name, words) => {
    expect(wordsOf(decideRepeat(quotes[name], repeat))).toBe(words)
  })

  test.each(names)('that is modified is refused when the quote is %s', (name) => {
    expect(wordsOf(decideRepeat(quotes[name], { ...repeat, payloadHash: 'x' }))).toBe('refuse')
  })

  test.each(names)('of another payer FSP is refused when the quote is %s', (name) => {
    expect(wordsOf(decideRepeat(quotes[name], { ...repeat, payerFsp: 'x' }))).toBe('refuse')
  })

  test.each(names)('that is the same event says nothing when the quote is %s', (name) => {
    const again = { ...repeat, eventId: 'request 1' }
    expect(wordsOf(decideRepeat(quotes[name], again))).toBe('silence')
  })
})

describe('an answer', () => {
  test.each<readonly [Name, string, string]>([
    ['PENDING', 'accept', 'accept'],
    ['ACCEPTED', 'silence', 'tell PAYEE CONTENT_MODIFIED'],
    ['REJECTED by the payee', 'silence', 'tell PAYEE CONTENT_MODIFIED'],
    ['REJECTED by a rule', 'tell PAYEE stored error', 'tell PAYEE CONTENT_MODIFIED'],
    ['REJECTED unasked', 'tell PAYEE NOT_PENDING', 'tell PAYEE NOT_PENDING'],
    ['EXPIRED', 'tell PAYEE TOO_LATE', 'tell PAYEE TOO_LATE'],
  ])('to a quote that is %s: same %s, modified %s', (name, same, modified) => {
    expect(wordsOf(decided(quotes[name], response, []))).toBe(same)
    const other = { ...response, payloadHash: 'x' }
    expect(wordsOf(decided(quotes[name], other, []))).toBe(modified)
  })

  test('that ended the quote says nothing when it is delivered again', () => {
    const again = { ...response, eventId: 'message 1', payloadHash: 'anything' }
    for (const name of ['ACCEPTED', 'REJECTED by a rule'] as const) {
      expect(wordsOf(decided(quotes[name], again, []))).toBe('silence')
    }
  })

  test('to an unknown quote is told so', () => {
    expect(wordsOf(decided(undefined, response, []))).toBe('tell REQUESTER ID_UNKNOWN')
  })

  test('that comes at the expiration or later is too late', () => {
    const late = { ...response, received_ms: Date.parse(claimed.expiresAt) }
    expect(wordsOf(decided(quotes.PENDING, late, []))).toBe('tell PAYEE TOO_LATE')
  })

  test('that is decided before the expiration is accepted, whatever its time of receipt says', () => {
    const end_ms = Date.parse(claimed.expiresAt)
    const offsets = fc.integer({ min: -86_400_000, max: 86_400_000 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60_000 }), offsets, (before_ms, offset_ms) => {
        const now_ms = end_ms - before_ms
        const stamped = { ...response, received_ms: now_ms + offset_ms }
        expect(decideResponse(quotes.PENDING, stamped, [], now_ms).type).toBe('accept')
      }),
    )
  })

  test('has its validity counted from now, when its time of receipt lies in the future', () => {
    const rule = { type: 'VALIDITY', id: 'validity', min_ms: 60_000, max_ms: 60_000 } as const
    const now_ms = response.received_ms
    const stamped = { ...response, received_ms: now_ms + 30_000 }
    expect(decideResponse(quotes.PENDING, stamped, [rule], now_ms).type).toBe('accept')
  })

  test('that breaks a rule is forbidden, its validity counted from when it came', () => {
    const rule = { type: 'VALIDITY', id: 'validity', min_ms: 60_000, max_ms: 60_000 } as const
    expect(wordsOf(decided(quotes.PENDING, response, [rule]))).toBe('accept')
    const longer = { ...response, validUntil_ms: response.validUntil_ms + 1 }
    expect(decided(quotes.PENDING, longer, [rule])).toMatchObject({
      type: 'forbid',
      violation: { ruleId: 'validity' },
    })
  })
})

describe('a refusal', () => {
  test.each<readonly [Name, string, string]>([
    ['PENDING', 'reject stored error', 'reject stored error'],
    ['ACCEPTED', 'silence', 'tell PAYEE CONTENT_MODIFIED'],
    ['REJECTED by the payee', 'silence', 'tell PAYEE CONTENT_MODIFIED'],
    ['REJECTED by a rule', 'tell PAYEE stored error', 'tell PAYEE CONTENT_MODIFIED'],
    ['REJECTED unasked', 'tell PAYEE NOT_PENDING', 'tell PAYEE NOT_PENDING'],
    ['EXPIRED', 'tell PAYEE TOO_LATE', 'tell PAYEE TOO_LATE'],
  ])('of a quote that is %s: same %s, modified %s', (name, same, modified) => {
    expect(wordsOf(decideReject(quotes[name], reject))).toBe(same)
    expect(wordsOf(decideReject(quotes[name], { ...reject, payloadHash: 'x' }))).toBe(modified)
  })

  test('of an unknown quote is told so', () => {
    expect(wordsOf(decideReject(undefined, reject))).toBe('tell REQUESTER ID_UNKNOWN')
  })
})

test('who is not the payee FSP learns and changes nothing, whatever it sends', () => {
  const strangers = fc.constantFrom('mangobank', 'hillcredit', '')
  fc.assert(
    fc.property(fc.constantFrom(...names), strangers, fc.string(), (name, requesterFspId, hash) => {
      const sent = { requesterFspId, payloadHash: hash }
      const told = 'tell REQUESTER SENDER_NOT_PAYEE'
      expect(wordsOf(decided(quotes[name], { ...response, ...sent }, []))).toBe(told)
      expect(wordsOf(decideReject(quotes[name], { ...reject, ...sent }))).toBe(told)
    }),
  )
})

test('a message for somebody else than the payer FSP is refused', () => {
  const told = 'tell PAYEE DESTINATION_NOT_PAYER'
  const astray = { destinationFspId: 'hillcredit' }
  for (const name of names) {
    expect(wordsOf(decided(quotes[name], { ...response, ...astray }, []))).toBe(told)
    expect(wordsOf(decideReject(quotes[name], { ...reject, ...astray }))).toBe(told)
  }
  const open = { ...response, destinationFspId: '' }
  expect(wordsOf(decided(quotes.PENDING, open, []))).toBe('accept')
})

describe('a question', () => {
  test.each<readonly [Name, string, string]>([
    ['PENDING', 'forward', 'tell PAYEE ANSWER_OWED'],
    ['ACCEPTED', 'replay PAYER', 'replay PAYEE'],
    ['REJECTED by the payee', 'tell PAYER stored error', 'tell PAYEE stored error'],
    ['REJECTED by a rule', 'tell PAYER stored error', 'tell PAYEE stored error'],
    ['REJECTED unasked', 'tell PAYER stored error', 'tell PAYEE stored error'],
    ['EXPIRED', 'tell PAYER TOO_LATE', 'tell PAYEE TOO_LATE'],
  ])('for a quote that is %s: payer %s, payee %s', (name, ofPayer, ofPayee) => {
    expect(wordsOf(decideQuery(quotes[name], 'mangobank'))).toBe(ofPayer)
    expect(wordsOf(decideQuery(quotes[name], payeeFsp))).toBe(ofPayee)
    expect(wordsOf(decideQuery(quotes[name], 'x'))).toBe('tell REQUESTER ASKER_NOT_PARTY')
  })

  test('for an unknown quote is told so', () => {
    expect(wordsOf(decideQuery(undefined, 'mangobank'))).toBe('tell REQUESTER ID_UNKNOWN')
  })
})
