import { expect, test } from '@jest/globals'
import { judgeLink, judgePayment } from './link-oracle.ts'
import type { PlannedLink } from '../plan/link-plan.ts'
import { newLink, type LinkRecord, type PaymentRecord } from '../links/link-record.ts'
import { newRecord } from '../record.ts'

const planned: PlannedLink = {
  begins_ms: 0,
  credential: 'RIGHT',
  payments: [
    {
      payee: 'river',
      amount: '1',
      begins_ms: 0,
      valid_ms: 1_000,
      user: 'SIGNS',
      answers: ['FULFIL'],
    },
  ],
}
const undisturbed = { isUndisturbed: true, mayStay: false }
const disturbed = { isUndisturbed: false, mayStay: true }

function linked(changes: Partial<LinkRecord> = {}): LinkRecord {
  const link = { ...newLink(planned), isReceived: true, decided: 'LINKED' }
  link.asked.status = 202
  return { ...link, ends: ['LINKED'], verdicts: ['VERIFIED'], ...changes }
}

function paid(changes: Partial<PaymentRecord> = {}): PaymentRecord {
  const [payment] = linked().payments
  if (payment === undefined) throw new Error('there is no payment')
  const { payee, amount } = payment.planned
  const ofTransfer = { begins_ms: 0, valid_ms: 1_000, leads: [], answers: [], again: [] }
  const transfer = newRecord('1', { payer: 'mango', payee, amount, ...ofTransfer })
  transfer.payerEnds.push('COMMITTED')
  payment.asked.status = 202
  return {
    ...payment,
    isReceived: true,
    decided: 'COMPLETED',
    ends: ['COMPLETED'],
    verified_ms: 100,
    results: [{ result: 'VERIFIED', heard_ms: 120 }],
    transfer,
    ...changes,
  }
}

const toPisp = { to: 'lemon', revokedAt: '2026-01-15T12:00:00.000Z', heard_ms: 90 }

test('Nothing is wrong with a link and a payment that end as they should', () => {
  expect(judgeLink(linked(), undisturbed)).toEqual([])
  expect(judgePayment(linked(), paid(), undisturbed)).toEqual([])
})

test.each<[string, Partial<LinkRecord>, string]>([
  ['two ends', { ends: ['LINKED', '6200'] }, 'ended as LINKED for the DFSP'],
  ['another end than for its DFSP', { ends: ['6200'] }, 'as 6200 for the PISP'],
  ['a refusal of a right credential', { verdicts: ['6200'] }, 'the auth service answered 6200'],
  ['an end that is announced twice', { ends: ['LINKED', 'LINKED'] }, 'learned the end'],
  ['no DFSP that knows of it', { isReceived: false }, 'did not reach its DFSP'],
  ['a revocation that nobody asked for', { revoked: [toPisp] }, 'nobody has revoked'],
  [
    'two moments at which it was revoked',
    { revoking_ms: 1, revoked: [toPisp, { ...toPisp, to: 'mango', revokedAt: 'later' }] },
    'was revoked at',
  ],
  ['a revocation that was refused', { refusals: ['6104'] }, 'was refused: 6104'],
])('A link with %s is wrong', (_what, changes, sentence) => {
  expect(judgeLink(linked(changes), undisturbed).join()).toContain(sentence)
})

test('A grant that the PISP refuses may end a link, where callbacks are refused', () => {
  const link = linked({ decided: '6003', ends: ['6003'], verdicts: [] })
  expect(judgeLink(link, disturbed)).toEqual([])
  expect(judgeLink(link, undisturbed)).not.toEqual([])
})

test.each<[string, Partial<LinkRecord>, Partial<PaymentRecord>, string]>([
  ['is completed without a transfer', {}, { transfer: undefined }, 'and its transfer as'],
  ['is announced as failed and was committed', {}, { ends: ['6003'] }, 'for the PISP'],
  [
    'used a consent that was revoked before',
    { revoking_ms: 80, revoked: [toPisp] },
    {},
    'used a consent that was revoked',
  ],
  [
    'has a right signature that is refused',
    {},
    { results: [{ result: '6201', heard_ms: 120 }] },
    'answered 6201',
  ],
  [
    'is refused for a revocation that nobody has asked for',
    {},
    { results: [{ result: '6103', heard_ms: 120 }] },
    'answered 6103',
  ],
])('A payment that %s is wrong', (_what, ofLink, ofPayment, sentence) => {
  expect(judgePayment(linked(ofLink), paid(ofPayment), undisturbed).join()).toContain(sentence)
})

test('A repeated question about a signature may be refused once the consent is revoked', () => {
  const results = [
    { result: 'VERIFIED', heard_ms: 120 },
    { result: '6103', heard_ms: 300 },
  ]
  const link = linked({ revoking_ms: 200, revoked: [{ ...toPisp, heard_ms: 250 }] })
  expect(judgePayment(link, paid({ results }), disturbed)).toEqual([])
})
