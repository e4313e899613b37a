import { describe, expect, test } from '@jest/globals'
import {
  judge,
  participantStatus,
  type Circumstances,
  type QuoteRequest,
  type ParticipantStatus,
} from './request.ts'

const now_ms = 1_000_000
const request: QuoteRequest = {
  quoteId: 'q',
  payerFsp: 'mangobank',
  payerNamedFsp: undefined,
  amount: 10_000n,
  currency: 'USD',
  scenario: 'TRANSFER',
  expires_ms: now_ms + 1,
}

interface Options extends Partial<Circumstances> {
  readonly statuses?: Readonly<Record<string, ParticipantStatus>>
}

function circumstances({ statuses = {}, ...changes }: Options = {}): Circumstances {
  return {
    destination: { type: 'KNOWN', fspIds: ['riverwallet'] },
    statusOf: (fspId) => statuses[fspId] ?? 'USABLE',
    rules: [],
    usages: new Map(),
    now_ms,
    ...changes,
  }
}

function reasonOf(changes: Partial<QuoteRequest>, options?: Options): string {
  const judgement = judge({ ...request, ...changes }, circumstances(options))
  return judgement.type === 'refuse' ? judgement.reason : judgement.type
}

test('A valid request goes to its destination', () => {
  expect(judge(request, circumstances())).toEqual({ type: 'ask', payeeFsp: 'riverwallet' })
  expect(reasonOf({ payerNamedFsp: 'mangobank' })).toBe('ask')
})

describe('a request is refused', () => {
  test.each<readonly [string, Partial<QuoteRequest>, Options]>([
    ['PAYER_NAMED_OTHERWISE', { payerNamedFsp: 'hillcredit' }, {}],
    ['EXPIRED', { expires_ms: now_ms }, {}],
    ['PAYER_UNKNOWN', {}, { statuses: { mangobank: 'UNKNOWN' } }],
    ['PAYER_INACTIVE', {}, { statuses: { mangobank: 'INACTIVE' } }],
    ['PAYER_NO_ACCOUNT', {}, { statuses: { mangobank: 'NO_ACCOUNT' } }],
    ['PARTY_UNKNOWN', {}, { destination: { type: 'PARTY_UNKNOWN' } }],
    ['PARTY_UNKNOWN', {}, { destination: { type: 'KNOWN', fspIds: [] } }],
    ['LOOKUP_AWAY', {}, { destination: { type: 'LOOKUP_AWAY' } }],
    ['PAYEE_UNKNOWN', {}, { statuses: { riverwallet: 'UNKNOWN' } }],
    ['PAYEE_INACTIVE', {}, { statuses: { riverwallet: 'INACTIVE' } }],
    ['PAYEE_NO_ACCOUNT', {}, { statuses: { riverwallet: 'NO_ACCOUNT' } }],
  ])('A request is refused for %s', (reason, changes, options) => {
    expect(reasonOf(changes, options)).toBe(reason)
  })

  test('A fault in the message takes precedence over the state of participants', () => {
    const statuses = { mangobank: 'UNKNOWN', riverwallet: 'UNKNOWN' } as const
    expect(reasonOf({ payerNamedFsp: 'x', expires_ms: 0 }, { statuses })).toBe(
      'PAYER_NAMED_OTHERWISE',
    )
    expect(reasonOf({ expires_ms: 0 }, { statuses })).toBe('EXPIRED')
    expect(reasonOf({}, { statuses })).toBe('PAYER_UNKNOWN')
  })
})

test('Of several FSPs of the payee the first usable one gets the request', () => {
  const destination = { type: 'KNOWN', fspIds: ['a', 'b', 'c'] } as const
  const statuses = { a: 'INACTIVE', b: 'USABLE', c: 'USABLE' } as const
  expect(judge(request, circumstances({ destination, statuses }))).toEqual({
    type: 'ask',
    payeeFsp: 'b',
  })
  const none = { a: 'NO_ACCOUNT', b: 'UNKNOWN', c: 'INACTIVE' } as const
  expect(judge(request, circumstances({ destination, statuses: none }))).toEqual({
    type: 'refuse',
    reason: 'PAYEE_NO_ACCOUNT',
    payeeFsp: 'a',
  })
})

test('Payer and payee FSP may be the same', () => {
  const destination = { type: 'KNOWN', fspIds: ['mangobank'] } as const
  expect(reasonOf({}, { destination })).toBe('ask')
})

test('Scheme rules are checked last', () => {
  const rules = [{ type: 'CURRENCY', id: 'currencies', currencies: ['EUR'] }] as const
  expect(judge(request, circumstances({ rules }))).toMatchObject({
    type: 'forbid',
    payeeFsp: 'riverwallet',
    violation: { ruleId: 'currencies' },
  })
  expect(reasonOf({}, { rules, statuses: { riverwallet: 'INACTIVE' } })).toBe('PAYEE_INACTIVE')
})

test('A participant is usable with an active POSITION account in the currency', () => {
  const account = { ledgerAccountType: 'POSITION', currency: 'USD', isActive: true }
  const status = (isActive: boolean, ...accounts: (typeof account)[]) =>
    participantStatus({ isActive, accounts }, 'USD')
  expect(participantStatus(undefined, 'USD')).toBe('UNKNOWN')
  expect(status(false, account)).toBe('INACTIVE')
  expect(status(true)).toBe('NO_ACCOUNT')
  expect(status(true, { ...account, currency: 'EUR' })).toBe('NO_ACCOUNT')
  expect(status(true, { ...account, isActive: false })).toBe('NO_ACCOUNT')
  expect(status(true, { ...account, ledgerAccountType: 'SETTLEMENT' })).toBe('NO_ACCOUNT')
  expect(status(true, { ...account, currency: 'EUR' }, account)).toBe('USABLE')
})
