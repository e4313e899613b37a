/**
 * Two FSPs encrypt their customers' data end to end: the hub cannot read it, and the payment is
 * made all the same.
 */
import { decryptFields, encryptFields } from '@causeway/fspiop'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto'
import type { HubResponse, Fsp, Received } from './fsp/fsp.ts'
import { position } from './operator/operator.ts'
import { at, newPhoneNumber, newQuote, own, partyOf, termsOf } from './fsp/payment.ts'
import { shareSafeScheme, type Scheme } from './hub/scheme.ts'
import { about, committed, errorOf, newTransfer } from './fsp/transfer.ts'

let scheme: Scheme
let payer: Fsp
let payee: Fsp

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const keys = { payer: keyPair(), payee: keyPair() }
const keyOf = (fsp: Fsp) => (fsp === payer ? keys.payer : keys.payee)

beforeAll(async () => {
  scheme = await shareSafeScheme()
  payer = await scheme.join('greenbank-encryption')
  payee = await scheme.join('bluewallet-encryption')
})

afterAll(async () => {
  expect(await scheme.verify()).toMatchObject({ clean: true })
  await scheme.stop()
})

const to = (fsp: Fsp) => ({ 'fspiop-destination': fsp.name })

interface Hidden {
  readonly body: object
  readonly headers: { readonly 'fspiop-encryption': string; readonly 'fspiop-destination': string }
}

/** The message with these members encrypted for that FSP. */
function hide(body: object, paths: readonly string[], receiver: Fsp): Hidden {
  const encrypted = encryptFields(body, paths, keyOf(receiver).publicKey)
  if (!encrypted.ok) throw new Error(encrypted.detail)
  return {
    body: encrypted.body,
    headers: { ...to(receiver), 'fspiop-encryption': encrypted.header },
  }
}

function errorIn({ body }: HubResponse): { readonly errorCode: string } {
  return (JSON.parse(body) as ErrorBody).errorInformation
}

interface ErrorBody {
  readonly errorInformation: { readonly errorCode: string }
}

function reveal({ headers, body }: Received, key: KeyObject): unknown {
  const header = String(headers['fspiop-encryption'])
  const json = JSON.parse(body.toString()) as object
  const decrypted = decryptFields(header, json, key)
  if (!decrypted.ok) throw new Error(decrypted.detail)
  return decrypted.body
}

/**
 * Checks that the message arrived byte for byte, is readable with the receiver's key, and contains
 * no secret in clear.
 */
function expectHidden(message: Received, sent: Hidden, clear: object, receiver: Fsp): void {
  expect(message.body.toString()).toBe(JSON.stringify(sent.body))
  expect(message.headers['fspiop-encryption']).toBe(sent.headers['fspiop-encryption'])
  for (const secret of ['Ada Example', 'Bob Example']) {
    expect(message.body.toString()).not.toContain(secret)
  }
  expect(reveal(message, keyOf(receiver).privateKey)).toEqual(clear)
}

describe('A payment with encrypted customer data', () => {
  const name = 'Ada Example'
  const personalInfo = { complexName: { firstName: 'Ada', lastName: 'Example' } }

  test('A payment with encrypted customer data is looked up, quoted and paid, and only the receiver reads each message', async () => {
    const before = await position(scheme.operator, payer.name)
    const phone = newPhoneNumber()
    await own(payee, phone)
    const path = `/parties/MSISDN/${phone}`
    await payer.send('GET', path)
    await payee.await(at('GET', path))
    const party = { party: { ...partyOf(payee, phone, name), personalInfo } }
    const hiddenParty = hide(party, ['party.name', 'party.personalInfo'], payer)
    expect((await payee.send('PUT', path, hiddenParty.body, hiddenParty.headers)).status).toBe(200)
    expectHidden(await payer.await(at('PUT', path)), hiddenParty, party, payer)

    const quote = {
      ...newQuote(payer, payee, { payee: partyOf(payee, phone, name) }),
      payer: partyOf(payer, '15550000001', 'Bob Example'),
      note: 'for Ada Example',
    }
    const hiddenQuote = hide(quote, ['payee.name', 'payer.name', 'note'], payee)
    const { body, headers } = hiddenQuote
    expect((await payer.send('POST', '/quotes', body, headers)).status).toBe(202)
    const asked = await payee.await(at('POST', '/quotes', quote.quoteId))
    expectHidden(asked, hiddenQuote, quote, payee)

    const { response, transfer } = termsOf(quote, payer, payee)
    const extensionList = { extension: [{ key: 'till', value: 'Ada Example' }] }
    const answer = { ...response, extensionList }
    const hiddenAnswer = hide(answer, ['extensionList.extension.0.value'], payer)
    const quotePath = `/quotes/${quote.quoteId}`
    await payee.send('PUT', quotePath, hiddenAnswer.body, hiddenAnswer.headers)
    expectHidden(await payer.await(at('PUT', quotePath)), hiddenAnswer, answer, payer)
    const after = payer.received.length
    await payer.send('GET', quotePath)
    const again = await payer.await(at('PUT', quotePath), { after })
    expectHidden(again, hiddenAnswer, answer, payer)

    const request = { ...transfer.request, extensionList }
    const hiddenTransfer = hide(request, ['extensionList.extension.0.value'], payee)
    const sent = await payer.send('POST', '/transfers', hiddenTransfer.body, hiddenTransfer.headers)
    expect(sent.status).toBe(202)
    const prepared = await payee.await(about(transfer.transferId, 'POST'))
    expectHidden(prepared, hiddenTransfer, request, payee)
    const fulfil = { ...committed(transfer), extensionList }
    const hiddenFulfil = hide(fulfil, ['extensionList.extension.0.value'], payer)
    const transferPath = `/transfers/${transfer.transferId}`
    await payee.send('PUT', transferPath, hiddenFulfil.body, hiddenFulfil.headers)
    const callback = await payer.await(about(transfer.transferId, 'PUT'))
    expectHidden(callback, hiddenFulfil, fulfil, payer)
    expect(await position(scheme.operator, payer.name)).toBe(before + 10)
  })

  test('A transfer that encrypts a member that the hub needs is refused, and nothing is relayed', async () => {
    const { transferId, request } = newTransfer(payer, payee)
    const { body, headers } = hide(request, ['amount.amount'], payee)
    const hidden = await payer.send('POST', '/transfers', body, headers)
    expect(hidden.status).toBe(400)
    expect(errorIn(hidden)).toMatchObject({
      errorCode: '3100',
      errorDescription: expect.stringContaining('amount.amount must be in clear'),
    })
    const junk = { ...to(payee), 'fspiop-encryption': 'junk' }
    const unread = await payer.send('POST', '/transfers', request, junk)
    expect([unread.status, errorIn(unread).errorCode]).toEqual([400, '3101'])
    await payer.send('GET', `/transfers/${transferId}`)
    const unknown = await payer.await(about(transferId, 'PUT', true))
    expect(errorOf(unknown).errorCode).toBe('3208')
    expect(payee.received.some(({ body: bytes }) => bytes.includes(transferId))).toBe(false)
  })

  test("A quote that only the receiver can read ends with the receiver's refusal", async () => {
    const quote = { ...newQuote(payer, payee), quoteId: randomUUID(), note: 'for Ada Example' }
    const { body, headers } = hide(quote, ['note'], payee)
    await payer.send('POST', '/quotes', body, headers)
    await payee.await(at('POST', '/quotes', quote.quoteId))
    const no = { errorInformation: { errorCode: '5103', errorDescription: 'No' } }
    await payee.send('PUT', `/quotes/${quote.quoteId}/error`, no, to(payer))
    const callback = await payer.await(at('PUT', `/quotes/${quote.quoteId}/error`))
    expect(errorOf(callback)).toEqual(no.errorInformation)
    expect(callback.headers['fspiop-encryption']).toBeUndefined()
  })
})
