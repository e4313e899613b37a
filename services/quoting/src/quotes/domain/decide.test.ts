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
const outcome = { eventId: 'message 1', hash: 'hash' }
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
  payloadHash: 'hash',
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
  payloadHash: 'hash',
  error,
}

/** Decided at once. */
function decided(quote: Quote | undefined, message: Response, rules: readonly Rule[]) {
  return decideResponse(quote, message, rules, message.received_ms)
}

/** A decision as a short text. */
function wordsOf(decision: {
  readonly type: string
  readonly legRole?: string
  readonly error?: string | object
}): string {
  const { type, legRole, error } = decision
  const errorText = typeof error === 'object' ? 'stored error' : error
  return [type, legRole, errorText].filter((word) => word !== undefined).join(' ')
}

describe('Requests for a known id:', () => {
  const repeat = { eventId: 'request 2', payerFsp: 'mangobank', payloadHash: 'asked' }

  test.each<readonly [Name, string]>([
    ['PENDING', 'none'],
    ['ACCEPTED', 'replay PAYER'],
    ['REJECTED by the payee', 'error PAYER stored error'],
    ['REJECTED by a rule', 'error PAYER stored error'],
    ['REJECTED unasked', 'error PAYER stored error'],
    ['EXPIRED', 'error PAYER TOO_LATE'],
  ])('A repeated request for a quote that is %s: %s', (name, words) => {
    expect(wordsOf(decideRepeat(quotes[name], repeat))).toBe(words)
  })

  test.each(names)('A request with other content is refused when the quote is %s', (name) => {
    expect(wordsOf(decideRepeat(quotes[name], { ...repeat, payloadHash: 'x' }))).toBe('refuse')
  })

  test.each(names)('A request of another payer FSP is refused when the quote is %s', (name) => {
    expect(wordsOf(decideRepeat(quotes[name], { ...repeat, payerFsp: 'x' }))).toBe('refuse')
  })

  test.each(names)('A redelivered request has no answer when the quote is %s', (name) => {
    const again = { ...repeat, eventId: 'request 1' }
    expect(wordsOf(decideRepeat(quotes[name], again))).toBe('none')
  })
})

describe('Answers:', () => {
  test.each<readonly [Name, string, string]>([
    ['PENDING', 'accept', 'accept'],
    ['ACCEPTED', 'none', 'error PAYEE CONTENT_MODIFIED'],
    ['REJECTED by the payee', 'none', 'error PAYEE CONTENT_MODIFIED'],
    ['REJECTED by a rule', 'error PAYEE stored error', 'error PAYEE CONTENT_MODIFIED'],
    ['REJECTED unasked', 'error PAYEE NOT_PENDING', 'error PAYEE NOT_PENDING'],
    ['EXPIRED', 'error PAYEE TOO_LATE', 'error PAYEE TOO_LATE'],
  ])('An answer to a quote that is %s: same %s, modified %s', (name, same, modified) => {
    expect(wordsOf(decided(quotes[name], response, []))).toBe(same)
    const other = { ...response, payloadHash: 'x' }
    expect(wordsOf(decided(quotes[name], other, []))).toBe(modified)
  })

  test('A redelivery of the answer that ended the quote has no answer', () => {
    const again = { ...response, eventId: 'message 1', payloadHash: 'anything' }
    for (const name of ['ACCEPTED', 'REJECTED by a rule'] as const) {
      expect(wordsOf(decided(quotes[name], again, []))).toBe('none')
    }
  })

  test('An answer to an unknown quote is refused', () => {
    expect(wordsOf(decided(undefined, response, []))).toBe('error REQUESTER ID_UNKNOWN')
  })

  test('An answer at the expiration or later is too late', () => {
    const late = { ...response, received_ms: Date.parse(claimed.expiresAt) }
    expect(wordsOf(decided(quotes.PENDING, late, []))).toBe('error PAYEE TOO_LATE')
  })

  test('An answer that is decided before the expiration is accepted, whatever its time of receipt', () => {
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

  test('The validity of an answer with a time of receipt in the future is counted from now', () => {
    const rule = { type: 'VALIDITY', id: 'validity', min_ms: 60_000, max_ms: 60_000 } as const
    const now_ms = response.received_ms
    const stamped = { ...response, received_ms: now_ms + 30_000 }
    expect(decideResponse(quotes.PENDING, stamped, [rule], now_ms).type).toBe('accept')
  })

  test('An answer that breaks a rule is forbidden, with its validity counted from its receipt', () => {
    const rule = { type: 'VALIDITY', id: 'validity', min_ms: 60_000, max_ms: 60_000 } as const
    expect(wordsOf(decided(quotes.PENDING, response, [rule]))).toBe('accept')
    const longer = { ...response, validUntil_ms: response.validUntil_ms + 1 }
    expect(decided(quotes.PENDING, longer, [rule])).toMatchObject({
      type: 'forbid',
      violation: { ruleId: 'validity' },
    })
  })
})

describe('Refusals:', () => {
  test.each<readonly [Name, string, string]>([
    ['PENDING', 'reject stored error', 'reject stored error'],
    ['ACCEPTED', 'none', 'error PAYEE CONTENT_MODIFIED'],
    ['REJECTED by the payee', 'none', 'error PAYEE CONTENT_MODIFIED'],
    ['REJECTED by a rule', 'error PAYEE stored error', 'error PAYEE CONTENT_MODIFIED'],
    ['REJECTED unasked', 'error PAYEE NOT_PENDING', 'error PAYEE NOT_PENDING'],
    ['EXPIRED', 'error PAYEE TOO_LATE', 'error PAYEE TOO_LATE'],
  ])('A refusal of a quote that is %s: same %s, modified %s', (name, same, modified) => {
    expect(wordsOf(decideReject(quotes[name], reject))).toBe(same)
    expect(wordsOf(decideReject(quotes[name], { ...reject, payloadHash: 'x' }))).toBe(modified)
  })

  test('A refusal of an unknown quote is refused', () => {
    expect(wordsOf(decideReject(undefined, reject))).toBe('error REQUESTER ID_UNKNOWN')
  })
})

test('A message of another FSP than the payee FSP changes nothing and gets no information', () => {
  const strangers = fc.constantFrom('mangobank', 'hillcredit', '')
  fc.assert(
    fc.property(fc.constantFrom(...names), strangers, fc.string(), (name, requesterFspId, hash) => {
      const sent = { requesterFspId, payloadHash: hash }
      const expected = 'error REQUESTER SENDER_NOT_PAYEE'
      expect(wordsOf(decided(quotes[name], { ...response, ...sent }, []))).toBe(expected)
      expect(wordsOf(decideReject(quotes[name], { ...reject, ...sent }))).toBe(expected)
    }),
  )
})

test('A message for another FSP than the payer FSP is refused', () => {
  const expected = 'error PAYEE DESTINATION_NOT_PAYER'
  const astray = { destinationFspId: 'hillcredit' }
  for (const name of names) {
    expect(wordsOf(decided(quotes[name], { ...response, ...astray }, []))).toBe(expected)
    expect(wordsOf(decideReject(quotes[name], { ...reject, ...astray }))).toBe(expected)
  }
  const open = { ...response, destinationFspId: undefined }
  expect(wordsOf(decided(quotes.PENDING, open, []))).toBe('accept')
})

describe('Queries:', () => {
  test.each<readonly [Name, string, string]>([
    ['PENDING', 'forward', 'error PAYEE ANSWER_OWED'],
    ['ACCEPTED', 'replay PAYER', 'replay PAYEE'],
    ['REJECTED by the payee', 'error PAYER stored error', 'error PAYEE stored error'],
    ['REJECTED by a rule', 'error PAYER stored error', 'error PAYEE stored error'],
    ['REJECTED unasked', 'error PAYER stored error', 'error PAYEE stored error'],
    ['EXPIRED', 'error PAYER TOO_LATE', 'error PAYEE TOO_LATE'],
  ])('A query for a quote that is %s: payer %s, payee %s', (name, ofPayer, ofPayee) => {
    expect(wordsOf(decideQuery(quotes[name], 'mangobank'))).toBe(ofPayer)
    expect(wordsOf(decideQuery(quotes[name], payeeFsp))).toBe(ofPayee)
    expect(wordsOf(decideQuery(quotes[name], 'x'))).toBe('error REQUESTER ASKER_NOT_PARTY')
  })

  test('A query for an unknown quote is refused', () => {
    expect(wordsOf(decideQuery(undefined, 'mangobank'))).toBe('error REQUESTER ID_UNKNOWN')
  })
})
