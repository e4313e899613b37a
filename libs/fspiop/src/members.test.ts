import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { z } from 'zod'
import { readBody } from './bodies/body.ts'
import { readEncryptionHeader } from './signatures/encryption-header.ts'
import { readSignature } from './signatures/jws.ts'
import { confusable, membersIn, repeatedMember, repeatedMemberOf } from './members.ts'
import { postTransfers } from './resources/transfers.ts'

const anything = z.looseObject({})
const transfer =
  '{"transferId":"e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61","payeeFsp":"payeefsp","payerFsp":"payerfsp",' +
  '"amount":{"currency":"USD","amount":"1000"},' +
  '"ilpPacket":"ASgAAAAAAAAmrBtnLnBheWVlZnNwLm1zaXNkbi4xMjM0NTY3ODkCe30A",' +
  '"condition":"GRzLaTP7DJ9t4P-a_BA0WA9wzzlsugf00-Tn6kESAfM","expiration":"2030-01-01T00:00:00.000Z"}'

function outcomeOf(text: string, schema: z.ZodType = anything): string {
  const reading = readBody(schema, Buffer.from(text))
  return reading.ok ? 'accepted' : `${reading.code} ${reading.detail}`
}

/** Any name but those that are refused by themselves, and any text, with all that JSON escapes. */
const name = fc
  .string({ unit: 'grapheme', maxLength: 8 })
  .filter((text) => !['__proto__', 'constructor', 'prototype'].includes(text))
const text = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', ':', '{"a":1', '"a":1,"a":2'))
const lowered = (one: string) => one.toLowerCase().toUpperCase()
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(null, true, 0, -1.5),
    fc.array(tie('tree'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(name, tie('tree')), { maxLength: 4, selector: ([one]) => lowered(one) })
    .map((entries) => Object.fromEntries(entries)),
}))
const object = fc
  .uniqueArray(fc.tuple(name, tree), {
    minLength: 1,
    maxLength: 4,
    selector: ([one]) => lowered(one),
  })
  .map((entries) => Object.fromEntries(entries) as Record<string, unknown>)

/** The text of this JSON, in which its first member has been given twice. */
function withTwice(
  json: Readonly<Record<string, unknown>>,
  again: unknown,
  cased: boolean,
): string {
  const [first = ''] = Object.keys(json)
  const other = cased ? first.toUpperCase() : first
  return `${JSON.stringify(json).slice(0, -1)},${JSON.stringify(other)}:${JSON.stringify(again)}}`
}

/** The JSON text at some depth of another one. */
function nested(inner: string, depth: number): string {
  return depth === 0 ? inner : nested(`{"x":[1,{"y":"\\":"},${inner}]}`, depth - 1)
}

describe('a member that is given twice', () => {
  test.each([
    ['{"amount":1,"amount":1}', '3101 /amount is given twice'],
    ['{"a":{"b":"1","b":"2"}}', '3101 /a/b is given twice'],
    ['{"a":[{"b":1},{"c":{"d":1},"c":2}]}', '3101 /a/c is given twice'],
    ['{"a":1,"\\u0061":2}', '3101 /a is given twice'],
    ['{"a\\"b":1,"a\\"b":2}', '3101 /a"b is given twice'],
    ['{"":1,"":2}', '3101 / is given twice'],
    ['{"a":1,"A":2}', '3101 a and A differ in case only'],
    ['{"straße":1,"STRASSE":2}', '3101 straße and STRASSE differ in case only'],
    ['{"paſs":1,"pass":2}', '3101 paſs and pass differ in case only'],
    ['{"\u212a":1,"k":2}', '3101 \u212a and k differ in case only'],
  ])('%s is refused', (body, expected) => {
    expect(outcomeOf(body)).toBe(expected)
  })

  test('A transfer with two amounts is refused, whichever of the two the hub would read', () => {
    expect(outcomeOf(transfer, postTransfers)).toBe('accepted')
    const amount = '"amount":{"currency":"USD","amount":"1"}'
    expect(outcomeOf(transfer.replace('{', `{${amount},`), postTransfers)).toBe(
      '3101 /amount is given twice',
    )
    const inner = transfer.replace('"amount":"1000"', '"amount":"1000","amount":"1"')
    expect(outcomeOf(inner, postTransfers)).toBe('3101 /amount/amount is given twice')
    const cased = transfer.replace('{', `{${amount.replace('a', 'A')},`)
    expect(outcomeOf(cased, postTransfers)).toBe('3101 Amount and amount differ in case only')
  })

  test('A member that is not known is accepted', () => {
    const extra = transfer.replace('{', '{"newMember":{"amount":"7"},"Other":[{"amount":1}],')
    expect(outcomeOf(extra, postTransfers)).toBe('accepted')
  })

  test('Any JSON without a repeated member is accepted, however its texts look', () => {
    fc.assert(
      fc.property(object, (json) => {
        expect(outcomeOf(JSON.stringify(json, null, 1))).toBe('accepted')
        const compact = JSON.stringify(json)
        expect([repeatedMember(compact), repeatedMemberOf(json, compact)]).toEqual([
          undefined,
          undefined,
        ])
      }),
    )
  })

  test('Any member that is repeated at any depth is refused, in the same case or another', () => {
    fc.assert(
      fc.property(object, tree, fc.boolean(), fc.nat(8), (json, again, cased, depth) => {
        const body = nested(withTwice(json, again, cased), depth)
        const found = repeatedMemberOf(JSON.parse(body) as object, body)
        expect(found).toBeDefined()
        expect(found).toBe(repeatedMember(body))
        expect(outcomeOf(body)).toMatch(/^3101 .*(is given twice|differ in case only)$/su)
        expect(repeatedMember(body)).toBeDefined()
      }),
    )
  })
})

describe('a member that is given twice in a header', () => {
  const base64url = (value: string) => Buffer.from(value).toString('base64url')
  const refused = (header: string) => readSignature(header)
  const protectedHeader = base64url('{"alg":"RS256","FSPIOP-Source":"a","FSPIOP-Source":"b"}')

  test('A signature is refused when its header or its protected header has a member twice', () => {
    expect(refused(`{"signature":"YQ","signature":"YQ","protectedHeader":"e30"}`)).toMatchObject({
      code: '3105',
      detail: 'FSPIOP-Signature: /signature is given twice',
    })
    expect(refused(JSON.stringify({ signature: 'YQ', protectedHeader }))).toMatchObject({
      code: '3105',
      detail: 'protected header: /FSPIOP-Source is given twice',
    })
    const cased = base64url('{"alg":"RS256","Date":"a","date":"a"}')
    expect(refused(JSON.stringify({ signature: 'YQ', protectedHeader: cased }))).toMatchObject({
      code: '3105',
      detail: 'protected header: /date is given twice',
    })
  })

  test('The encryption header is refused when a field has a member twice', () => {
    const field =
      '"fieldName":"payer","encryptedKey":"YQ","protectedHeader":"YQ",' +
      '"initializationVector":"YQ","authenticationTag":"YQ"'
    const header = (members: string) => `{"encryptedFields":{"encryptedField":[{${members}}]}}`
    expect(readEncryptionHeader(header(field))).toMatchObject({ fields: [{ fieldName: 'payer' }] })
    expect(readEncryptionHeader(header(`${field},"fieldName":"payee"`))).toMatchObject({
      code: '3101',
      detail: 'header fspiop-encryption: /encryptedFields/encryptedField/fieldName is given twice',
    })
  })
})

test('The members of a JSON text are counted outside of its strings', () => {
  expect(membersIn('{"a:b":"c:d\\":","e":{"f\\\\":[{"g":1}]}}')).toBe(4)
})

test('Names that differ in more than their case are not confusable', () => {
  expect(confusable(['payerFsp', 'payeeFsp', 'amount', 'amountType'])).toBeUndefined()
})
