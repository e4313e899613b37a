import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { z } from 'zod'
import { type BodyReading, readBody } from '../bodies/body.ts'
import { type EncryptedPath, readEncryptedPaths } from './encrypted.ts'
import { errorCatalogue } from '../errors.ts'
import { putAuthorizations } from '../resources/authorizations.ts'
import { putParties } from '../resources/parties.ts'
import { postQuotes } from '../resources/quotes.ts'
import { postTransfers, putTransfers } from '../resources/transfers.ts'

const uuid = 'b2a7f0d4-1e9c-4f63-8a52-7d40c9e8136b'
const cipher = 'BN7x2SpBZSFMDQQ'
const party = {
  partyIdInfo: { partyIdType: 'MSISDN', partyIdentifier: '123456789', fspId: 'payeefsp' },
  name: 'Ana',
  personalInfo: { complexName: { firstName: 'Ana' }, dateOfBirth: '1986-02-14' },
}
const quote = {
  quoteId: uuid,
  transactionId: uuid,
  payee: party,
  payer: party,
  amountType: 'SEND',
  amount: { currency: 'USD', amount: '99' },
  transactionType: { scenario: 'TRANSFER', initiator: 'PAYER', initiatorType: 'CONSUMER' },
  geoCode: { latitude: '1', longitude: '2' },
  note: 'n',
  extensionList: { extension: [{ key: 'k', value: 'v' }] },
}

type Json = Readonly<Record<string, unknown>>

function header(...names: readonly string[]): string {
  const encryptedField = names.map((fieldName) => ({
    fieldName,
    encryptedKey: 'a2V5',
    protectedHeader: 'e30',
    initializationVector: 'aXY',
    authenticationTag: 'dGFn',
  }))
  return JSON.stringify({ encryptedFields: { encryptedField } })
}

function read<Schema extends z.ZodType>(schema: Schema, json: unknown, ...names: string[]) {
  const encrypted = names.map((name) => name.split('.'))
  return readBody(schema, Buffer.from(JSON.stringify(json)), { encrypted })
}

function outcome(reading: BodyReading<unknown>): string {
  return reading.ok ? 'accepted' : `${reading.code} ${reading.detail}`
}

/** A copy with ciphertext, or another value, at each path. */
function encrypted(json: unknown, paths: readonly EncryptedPath[], value: unknown = cipher): Json {
  const copy = JSON.parse(JSON.stringify(json)) as Record<string, unknown>
  for (const path of paths) {
    let holder = copy
    for (const name of path.slice(0, -1)) holder = holder[name] as Record<string, unknown>
    holder[path.at(-1) ?? ''] = value
  }
  return copy
}

describe('FSPIOP-Encryption', () => {
  test('An absent FSPIOP-Encryption encrypts nothing', () => {
    expect(readEncryptedPaths({})).toEqual({ paths: [] })
  })

  test('FSPIOP-Encryption names the encrypted paths', () => {
    const names = ['payer', 'payee.partyIdInfo.partyIdentifier', 'extensionList.extension.0.value']
    expect(readEncryptedPaths({ 'fspiop-encryption': header(...names) })).toEqual({
      paths: [
        ['payer'],
        ['payee', 'partyIdInfo', 'partyIdentifier'],
        ['extensionList', 'extension', '0', 'value'],
      ],
    })
  })

  test.each(['', '{}', 'x', '[]', header()])(
    'FSPIOP-Encryption of a wrong form, %j, is malformed',
    (text) => {
      expect(readEncryptedPaths({ 'fspiop-encryption': text })).toMatchObject({
        status: 400,
        code: '3101',
      })
    },
  )

  test('FSPIOP-Encryption sent twice is malformed', () => {
    const twice = { 'fspiop-encryption': [header('note'), header('payer')] }
    expect(readEncryptedPaths(twice)).toMatchObject({ code: '3101' })
  })

  test.each([
    'amount',
    'amountType',
    'amount.currency',
    'payerFsp',
    'payeeFsp',
    'condition',
    'fulfilment',
    'expiration',
    'transferId',
    'quoteId',
    'transferState',
    'completedTimestamp',
    'errorInformation',
    'errorInformation.errorCode',
    'payee.partyIdInfo.fspId',
    'partyList',
    'partyList.0.partyIdentifier',
    'individualTransfers',
    'individualTransfers.0',
    'individualTransfers.0.transferAmount.amount',
    'individualQuotes.12',
    'consentId',
    'consentRequestId',
    'authorizationRequestId',
    'verificationRequestId',
    'status',
    'responseType',
    'signedPayload.signedPayloadType',
    'credential.credentialType',
    'credential.status',
    'transactionRequestState',
    'providers.0',
  ])('FSPIOP-Encryption may not hide %s, which the hub needs', (name) => {
    expect(readEncryptedPaths({ 'fspiop-encryption': header('note', name) })).toEqual({
      status: 400,
      code: '3100',
      detail: `header fspiop-encryption: ${name} must be in clear`,
    })
  })

  test.each([
    'payer',
    'party',
    'ilpPacket',
    'payee.partyIdInfo.partyIdentifier',
    'individualTransfers.0.extensionList',
    'individualQuotes.0.payee',
    'userId',
    'authToken',
    'accounts.0',
    'accounts.1.accountNickname',
    'scopes.0.address',
    'signedPayload.fidoSignedPayload',
  ])('FSPIOP-Encryption may hide %s', (name) => {
    expect(readEncryptedPaths({ 'fspiop-encryption': header(name) })).toEqual({
      paths: [name.split('.')],
    })
  })
})

describe('a body with encrypted members', () => {
  test('A body with ciphertext in the place of an object is accepted, and relayed as it was sent', () => {
    const json = { ...quote, payer: cipher }
    const { payer, ...rest } = json
    expect(read(postQuotes, json, 'payer')).toEqual({ ok: true, value: rest, json })
    expect(payer).toBe(cipher)
  })

  test.each([
    'payee.partyIdInfo.partyIdentifier',
    'payee.partyIdInfo.partyIdType',
    'payee.personalInfo',
    'payee.personalInfo.complexName.firstName',
    'payee.personalInfo.dateOfBirth',
    'transactionType',
    'transactionType.scenario',
    'geoCode.latitude',
    'note',
    'amountType',
    'extensionList',
    'extensionList.extension',
    'extensionList.extension.0',
    'extensionList.extension.0.key',
  ])('A body with ciphertext at %s, however long, is accepted', (name) => {
    const json = encrypted(quote, [name.split('.')], 'A'.repeat(5_000))
    const reading = read(postQuotes, json, name)
    expect(reading).toMatchObject({ ok: true, json })
    expect(outcome(read(postQuotes, json))).not.toBe('accepted')
  })

  test('A body with encrypted members gives an extension list as a whole or not at all', () => {
    const list = {
      extension: [
        { key: 'k', value: 'v' },
        { key: 'l', value: 'A'.repeat(200) },
      ],
    }
    const name = 'extensionList.extension.1.value'
    const reading = read(postQuotes, { ...quote, extensionList: list }, name)
    const { extensionList, ...rest } = quote
    expect(extensionList).toBeDefined()
    expect(reading).toMatchObject({ ok: true, value: rest })
    expect(reading.ok && Object.hasOwn(reading.value, 'extensionList')).toBe(false)
  })

  test('A body with encrypted members may have its extensions as a bare list, with ciphertext in it', () => {
    const json = { ...quote, extensionList: [{ key: 'k', value: 'A'.repeat(200) }] }
    expect(outcome(read(postQuotes, json, 'extensionList.0.value'))).toBe('accepted')
    expect(outcome(read(postQuotes, json, 'extensionList.1.value'))).toBe(
      '3100 /extensionList/0/value: must have 1 to 128 characters',
    )
  })

  test('A body with encrypted members is read like any other in all that is in clear', () => {
    const json = { transferState: 'committed', fulfilment: 'A'.repeat(43), extensionList: cipher }
    expect(read(putTransfers, json, 'extensionList')).toEqual({
      ok: true,
      value: { transferState: 'COMMITTED', fulfilment: 'A'.repeat(43) },
      json,
    })
  })

  test('A body with encrypted members does not give ciphertext that could pass for a clear value', () => {
    const json = { ...quote, note: cipher }
    const reading = read(postQuotes, json, 'note')
    expect(reading).toMatchObject({ ok: true, json })
    expect(reading.ok && reading.value.note).toBeUndefined()
  })

  test('A body with encrypted members is never changed, not even in members that the API does not know', () => {
    const json = { ...quote, unknown: { secret: cipher, other: 1 } }
    expect(read(postQuotes, json, 'unknown.secret')).toEqual({
      ok: true,
      value: { ...quote, unknown: { other: 1 } },
      json,
    })
  })

  test('A body with many encrypted paths into a list of many elements is accepted', () => {
    const list = Array.from({ length: 500_000 }, () => '')
    const names = Array.from({ length: 450 }, (_, index) => `list.${index}`)
    expect(outcome(read(putParties, { party, list }, ...names))).toBe('accepted')
  })

  test('A body is accepted when the member that decides its form is encrypted', () => {
    const info = { authentication: cipher, authenticationValue: { any: 'thing' } }
    const json = { responseType: 'ENTERED', authenticationInfo: info }
    expect(outcome(read(putAuthorizations, json, 'authenticationInfo.authentication'))).toBe(
      'accepted',
    )
    expect(outcome(read(putAuthorizations, { responseType: cipher }, 'responseType'))).toBe(
      'accepted',
    )
  })

  test('In the type of a body with encrypted members every such member may be absent', () => {
    const reading = read(putParties, { party: cipher }, 'party')
    if (!reading.ok) throw new Error(reading.detail)
    const name: string | undefined = reading.value.party?.name
    expect(name).toBeUndefined()
    const transfer = read(postTransfers, {})
    const ids: readonly string[] = transfer.ok ? [transfer.value.payerFsp] : []
    expect(ids).toEqual([])
  })

  test.each([
    ['an object', party, '3101 /payer: not ciphertext'],
    ['a number', 5, '3101 /payer: not ciphertext'],
    ['null', null, '3101 /payer: not ciphertext'],
    ['nothing', undefined, '3102 /payer'],
  ])('A body with %s where its header names ciphertext is refused', (_, payer, sentence) => {
    expect(outcome(read(postQuotes, { ...quote, payer }, 'payer'))).toBe(sentence)
  })

  test('A body with encrypted members is refused with the first of all faults in clear', () => {
    const json = { ...quote, payer: cipher, amountType: 'BOTH', note: '' }
    expect(outcome(read(postQuotes, json, 'payer'))).toBe('3101 /amountType: not one of its values')
    const { amount, ...rest } = json
    expect(amount).toBeDefined()
    expect(outcome(read(postQuotes, rest, 'payer'))).toBe('3102 /amount')
  })

  test('A body is judged as a whole where an encrypted path leads nowhere', () => {
    const json = { ...quote, payer: cipher }
    for (const name of ['payers', 'payer.name', 'payee.0', '__proto__', 'toString.length']) {
      expect(outcome(read(postQuotes, json, name))).toBe('3101 /payer: not a JSON object')
    }
    expect(outcome(read(postQuotes, quote, 'nothing.of.this'))).toBe('accepted')
  })

  const hidable = [
    'payer',
    'payee.personalInfo',
    'payee.partyIdInfo.partyIdentifier',
    'transactionType.scenario',
    'geoCode',
    'note',
    'extensionList.extension.0.value',
  ].map((name) => name.split('.'))
  const faulty = fc.constantFrom<readonly [EncryptedPath, unknown]>(
    [['amount', 'amount'], '5.50'],
    [['quoteId'], 'x'],
    [['amountType'], 'BOTH'],
    [['payee', 'name'], ''],
    [['payee', 'partyIdInfo', 'partyIdType'], 'FAX'],
  )

  test('A body with any of its members encrypted is accepted, gives none of them, and keeps all others', () => {
    fc.assert(
      fc.property(fc.subarray(hidable), fc.string({ minLength: 1 }), (paths, text) => {
        const ciphertext = Buffer.from(text).toString('base64url')
        const json = encrypted(quote, paths, ciphertext)
        const reading = readBody(postQuotes, Buffer.from(JSON.stringify(json)), {
          encrypted: paths,
        })
        expect(reading).toMatchObject({ ok: true, json })
        if (!reading.ok) return
        const { quoteId, amount, amountType, transactionId } = quote
        expect(reading.value).toMatchObject({ quoteId, amount, amountType, transactionId })
        const names = paths.map((path) => path.join('.'))
        expect(reading.value.payer).toEqual(names.includes('payer') ? undefined : quote.payer)
        expect(reading.value.geoCode).toEqual(names.includes('geoCode') ? undefined : quote.geoCode)
      }),
    )
  })

  test('A body with any of its members encrypted hides no fault of the others', () => {
    fc.assert(
      fc.property(fc.subarray(hidable), faulty, (paths, [path, value]) => {
        const json = encrypted(encrypted(quote, paths), [path], value)
        const reading = readBody(postQuotes, Buffer.from(JSON.stringify(json)), {
          encrypted: paths,
        })
        expect(outcome(reading)).toMatch(new RegExp(`^310[01] /${path.join('/')}: `))
      }),
    )
  })

  test('A body of any kind, with any encrypted paths, is read or refused with a code', () => {
    const names = fc.constantFrom('payer', 'payee', 'name', '0', 'extensionList', 'extension', 'x')
    const anyPath = fc.array(names, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(anyPath, { maxLength: 3 }), fc.jsonValue(), (paths, value) => {
        const json = { ...quote, payer: value, extensionList: value }
        const reading = readBody(postQuotes, Buffer.from(JSON.stringify(json)), {
          encrypted: paths,
        })
        expect(reading.ok || Object.hasOwn(errorCatalogue, reading.code)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
