/**
 * A customer of the FSP is paid: lookup, terms, the four steps of the Interledger part, and what comes
 * after RESERVED. No case needs a trigger.
 */
import {
  amountToIlp,
  conditionOf,
  decodePacket,
  encodePacket,
  fulfils,
  payeeReceiveAmountOf,
  putParties,
  readTransaction,
  transferAmountOf,
} from '@causeway/fspiop'
import { randomBytes, randomUUID } from 'node:crypto'
import { type Case, NotRun } from '../case.ts'
import { newNumber } from '../counterparts/payee.ts'
import {
  customerOf,
  fulfilmentIn,
  isFulfilment,
  isTransferAnswer,
  newQuote,
  partyPath,
  quoted,
  route,
  transferOn,
  transferred,
  type Quoted,
  type TransferRequest,
} from '../counterparts/payer.ts'
import { describe, type Kit } from '../kit.ts'
import { at, bodyOf, ensure, expectError, is, isAnswer } from '../read.ts'

/** The FSP does not fulfil it. */
async function expectNotFulfilled(kit: Kit, transfer: TransferRequest): Promise<void> {
  const answer = await transferred(kit, transfer)
  ensure(fulfilmentIn(answer) === undefined, 'an error, no fulfilment', describe(answer))
  expectError(answer, ['3', '5'])
}

function expectAgreed({ request, terms, message }: Quoted): void {
  const { transferAmount, payeeReceiveAmount, payeeFspFee, payeeFspCommission } = terms
  const asked = request as unknown as Parameters<typeof transferAmountOf>[0]
  const expected = transferAmountOf({ ...asked, payeeFspFee, payeeFspCommission })
  const isRight =
    expected?.amount === transferAmount.amount && expected.currency === transferAmount.currency
  ensure(isRight, `transferAmount ${JSON.stringify(expected)}`, describe(message))
  if (payeeReceiveAmount === undefined) return
  const received = payeeReceiveAmountOf(transferAmount, payeeFspFee, payeeFspCommission)
  ensure(
    received?.amount === payeeReceiveAmount.amount,
    `payeeReceiveAmount ${JSON.stringify(received)}`,
    describe(message),
  )
}

const lookups: readonly Case[] = [
  {
    id: 'payee-party',
    title: 'A lookup of a customer is answered with the party at this FSP',
    role: 'payee',
    section: 'FSPIOP 6.3.4.1',
    async run(kit) {
      const path = partyPath(kit)
      const { fsp, counterparty } = kit.settings
      await kit.sendExpecting(202, { method: 'GET', path, ...route(kit) })
      const answer = await kit.expect(`PUT ${path}`, is('PUT', path))
      const encrypted = answer.headers['fspiop-encryption'] !== undefined
      const { id } = customerOf(kit)
      const info = encrypted
        ? at(answer.json, 'party', 'partyIdInfo')
        : bodyOf(putParties, answer).party.partyIdInfo
      ensure(at(info, 'partyIdentifier') === id, `the identifier ${id}`, describe(answer))
      ensure(at(info, 'fspId') === fsp, `fspId ${fsp}`, describe(answer))
      const { headers } = answer
      ensure(headers['fspiop-source'] === fsp, `FSPIOP-Source: ${fsp}`, describe(answer))
      ensure(
        headers['fspiop-destination'] === counterparty,
        `FSPIOP-Destination: ${counterparty}`,
        `${describe(answer)}, ${String(headers['fspiop-destination'])}`,
      )
      ensure(headers['accept'] === undefined, 'no Accept on a callback', String(headers['accept']))
    },
  },
  {
    id: 'payee-party-unknown',
    title: 'A lookup of an unknown party is answered with 3204',
    role: 'payee',
    section: 'FSPIOP 6.3.5.1',
    async run(kit) {
      const path = `/parties/MSISDN/${newNumber()}`
      await kit.sendExpecting(202, { method: 'GET', path, ...route(kit) })
      expectError(await kit.expect(`PUT ${path}/error`, isAnswer(path)), ['32'])
    },
  },
]

const terms: readonly Case[] = [
  {
    id: 'payee-amounts-send',
    title: 'The amounts of a quote follow from the amount that is sent',
    role: 'payee',
    section: 'FSPIOP 5.1',
    run: async (kit) => expectAgreed(await quoted(kit)),
  },
  {
    id: 'payee-amounts-receive',
    title: 'The amounts of a quote follow from the amount that is received',
    role: 'payee',
    section: 'FSPIOP 5.1',
    run: async (kit) => expectAgreed(await quoted(kit, { amountType: 'RECEIVE' })),
  },
  {
    id: 'payee-amounts-fees',
    title: 'The amounts of a quote respect the fees that the payer’s FSP discloses',
    role: 'payee',
    section: 'FSPIOP 5.1',
    async run(kit) {
      const { currency } = kit.settings
      expectAgreed(await quoted(kit, { fees: { currency, amount: '1' } }))
    },
  },
  {
    id: 'payee-quote-expired-request',
    title: 'A request for a quote that has expired gets no terms',
    role: 'payee',
    section: 'FSPIOP 6.5.3.2',
    async run(kit) {
      const expiration = new Date(Date.now() - 60_000).toISOString()
      const body = newQuote(kit, { expiration })
      const path = `/quotes/${body.quoteId}`
      const answer = await kit.send({ method: 'POST', path: '/quotes', ...route(kit), body })
      if (answer?.status === 400) return
      expectError(await kit.expect(`PUT ${path}/error`, isAnswer(path)), ['3', '5'])
    },
  },
  {
    id: 'payee-get-quote',
    title: 'GET of a quote is answered with the same terms',
    role: 'payee',
    section: 'FSPIOP 6.5.3.1',
    async run(kit) {
      const { request, message } = await quoted(kit)
      const path = `/quotes/${request.quoteId}`
      await kit.sendExpecting(202, { method: 'GET', path, ...route(kit) })
      const again = await kit.expect(
        `PUT ${path} again`,
        (each) => each !== message && isAnswer(path)(each),
      )
      ensure(again.body.equals(message.body), describe(message), describe(again))
    },
  },
  {
    id: 'payee-get-quote-unknown',
    title: 'GET of an unknown quote is answered with 3205',
    role: 'payee',
    section: 'FSPIOP 6.5.5, 7.6',
    async run(kit) {
      const path = `/quotes/${randomUUID()}`
      await kit.sendExpecting(202, { method: 'GET', path, ...route(kit) })
      expectError(await kit.expect(`PUT ${path}/error`, isAnswer(path)), ['3205', '3200'])
    },
  },
]

const interledger: readonly Case[] = [
  {
    id: 'ilp-packet',
    title: 'The packet of a quote holds the transfer amount and the transaction',
    role: 'payee',
    section: 'FSPIOP 4.5, 6.5.2.3',
    async run(kit) {
      const { request, terms: agreed, message } = await quoted(kit)
      const packet = decodePacket(agreed.ilpPacket)
      ensure(packet !== undefined, 'an ILP packet of type payment', describe(message))
      const { amount, currency } = agreed.transferAmount
      const expected = amountToIlp(amount, currency)
      ensure(packet?.amount === expected, `amount ${expected}`, String(packet?.amount))
      const reading = readTransaction(packet?.data ?? Buffer.alloc(0))
      ensure(reading.ok, 'data of the type Transaction', packet?.data.toString() ?? '')
      const ids = reading.ok ? [reading.value.quoteId, reading.value.transactionId] : []
      ensure(
        ids[0] === request.quoteId && ids[1] === request.transactionId,
        `quoteId ${request.quoteId} and transactionId ${request.transactionId}`,
        ids.join(' and '),
      )
    },
  },
  {
    id: 'ilp-1-address',
    title: 'Step 1: a transfer whose packet is addressed to another account is refused',
    role: 'payee',
    section: 'FSPIOP 6.7.2.8',
    async run(kit) {
      const agreed = await quoted(kit)
      const packet = decodePacket(agreed.terms.ilpPacket)
      const other = encodePacket({
        amount: packet?.amount ?? 0n,
        data: packet?.data ?? Buffer.alloc(0),
        address: 'g.certification.another',
      })
      await expectNotFulfilled(kit, transferOn(kit, agreed, { ilpPacket: other }))
    },
  },
  {
    id: 'ilp-2-amount',
    title: 'Step 2: a transfer of another amount than that of its packet is refused',
    role: 'payee',
    section: 'FSPIOP 6.7.2.8',
    async run(kit) {
      const agreed = await quoted(kit)
      const { currency, amount } = agreed.terms.transferAmount
      const less = { currency, amount: amount === '1' ? '2' : '1' }
      await expectNotFulfilled(kit, transferOn(kit, agreed, { amount: less }))
    },
  },
  {
    id: 'ilp-3-condition',
    title: 'Step 3: a transfer with another condition than that of the quote is refused',
    role: 'payee',
    section: 'FSPIOP 6.7.2.8',
    async run(kit) {
      const agreed = await quoted(kit)
      const condition = conditionOf(randomBytes(32).toString('base64url'))
      await expectNotFulfilled(kit, transferOn(kit, agreed, { condition }))
    },
  },
  {
    id: 'ilp-4-fulfilment',
    title: 'Step 4: the fulfilment of an accepted transfer hashes to its condition',
    role: 'payee',
    section: 'FSPIOP 4.4, 6.7.2.8',
    async run(kit) {
      const agreed = await quoted(kit)
      const answer = await transferred(kit, transferOn(kit, agreed))
      const fulfilment = fulfilmentIn(answer)
      ensure(
        fulfilment !== undefined && fulfils(fulfilment, agreed.terms.condition),
        `the fulfilment of ${agreed.terms.condition}`,
        describe(answer),
      )
    },
  },
  {
    id: 'ilp-reproducible',
    title: 'The fulfilment is made of packet and secret alone: every answer has the same one',
    role: 'payee',
    section: 'FSPIOP 6.5.2.3, 6.7.2.8',
    async run(kit) {
      const agreed = await quoted(kit)
      const transfer = transferOn(kit, agreed)
      const first = fulfilmentIn(await transferred(kit, transfer))
      if (first === undefined) throw new NotRun('the FSP did not fulfil the transfer')
      const repeat = { method: 'POST', path: '/transfers', ...route(kit), body: transfer } as const
      await kit.send(repeat)
      // Another transfer on the same packet may be refused; a fulfilment is the same.
      const other = transferOn(kit, agreed)
      await kit.send({ ...repeat, body: other })
      await kit.next(isTransferAnswer(other), kit.settings.answer_ms)
      const answers = kit.taken.filter(
        (message) => isFulfilment(transfer)(message) || isFulfilment(other)(message),
      )
      for (const answer of answers) {
        ensure(fulfilmentIn(answer) === first, `the fulfilment ${first}`, describe(answer))
      }
    },
  },
  {
    id: 'payee-expired-transfer',
    title: 'A transfer that has expired is not fulfilled',
    role: 'payee',
    section: 'FSPIOP 6.7.2.4',
    async run(kit) {
      const agreed = await quoted(kit)
      const expiration = new Date(Date.now() - 60_000).toISOString()
      await expectNotFulfilled(kit, transferOn(kit, agreed, { expiration }))
    },
  },
  {
    id: 'payee-other-payer',
    title: 'A quote is for the FSP that requested it: another FSP’s transfer on it is refused',
    role: 'payee',
    section: 'FSPIOP 6.7.3.2',
    async run(kit) {
      const agreed = await quoted(kit)
      const { stranger, fsp } = kit.settings
      const transfer = transferOn(kit, agreed, { payerFsp: stranger })
      const answer = await kit.send({
        method: 'POST',
        path: '/transfers',
        from: stranger,
        to: fsp,
        body: transfer,
      })
      if (answer !== undefined && answer.status >= 400) return
      const end = await kit.expect('PUT /transfers/{ID}/error', isTransferAnswer(transfer))
      ensure(fulfilmentIn(end) === undefined, 'an error, no fulfilment', describe(end))
    },
  },
]

export const payee: readonly Case[] = [...lookups, ...terms, ...interledger]
