import { expect, test } from '@jest/globals'
import { encodePacket } from './ilp.ts'
import { concernsPerson } from './person.ts'

const person = { partyIdType: 'MSISDN', partyIdentifier: '22507008181' }
const partyOf = (partyIdentifier: string, more = {}) => ({
  partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier, fspId: 'bluewallet', ...more },
})
const bodyOf = (value: unknown) => Buffer.from(JSON.stringify(value))

test('A message concerns a person whose party it names, however deep, with or without a plus sign', () => {
  const quote = { payer: partyOf('12'), payee: partyOf('+22507008181') }
  expect(concernsPerson(bodyOf(quote), person)).toBe(true)
  expect(concernsPerson(bodyOf({ individualQuotes: [{}, quote] }), person)).toBe(true)
  expect(concernsPerson(bodyOf({ payer: partyOf('12') }), person)).toBe(false)
})

test('Another type with the same identifier, and a text that holds it, are other persons', () => {
  const other = { partyIdInfo: { partyIdType: 'ACCOUNT_ID', partyIdentifier: '22507008181' } }
  expect(concernsPerson(bodyOf({ payer: other, note: 'MSISDN 22507008181' }), person)).toBe(false)
})

test('With a sub-id only the party with that sub-id is the person', () => {
  const body = bodyOf({ payee: partyOf('22507008181', { partySubIdOrType: 'till' }) })
  expect(concernsPerson(body, { ...person, partySubId: 'till' })).toBe(true)
  expect(concernsPerson(body, { ...person, partySubId: 'other' })).toBe(false)
  expect(concernsPerson(body, person)).toBe(true)
})

test('A party in an ILP packet is found, in both encodings of its data', () => {
  const json = bodyOf({ payee: partyOf('22507008181') })
  for (const data of [json, Buffer.from(json.toString('base64url'))]) {
    const ilpPacket = encodePacket({ amount: 1n, address: 'g.bluewallet', data })
    expect(concernsPerson(bodyOf({ ilpPacket }), person)).toBe(true)
  }
})

test('What is not JSON concerns no person', () => {
  expect(concernsPerson(Buffer.from('22507008181 {'), person)).toBe(false)
  expect(concernsPerson(Buffer.alloc(0), person)).toBe(false)
})
