import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { z } from 'zod'
import { readBody, readJson } from './body.ts'
import { authenticationInfo, errorBody, extensionList, party } from './complex.ts'
import { transferState } from './enumerations.ts'
import { errorCatalogue } from '../errors.ts'
import { patchTransfers, postTransfers, putTransfers } from '../resources/transfers.ts'

const condition = 'GRzLaTP7DJ9t4P-a_BA0WA9wzzlsugf00-Tn6kESAfM'

const transfer = {
  transferId: 'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61',
  payeeFsp: 'payeefsp',
  payerFsp: 'payerfsp',
  amount: { currency: 'USD', amount: '99' },
  ilpPacket: 'ASgAAAAAAAAmrBtnLnBheWVlZnNwLm1zaXNkbi4xMjM0NTY3ODkCe30A',
  condition,
  expiration: '2030-01-01T00:00:00.000Z',
}

const partyMessage = z.compile(z.looseObject({ party }))

function bytes(json: unknown): Buffer {
  return Buffer.from(JSON.stringify(json))
}

function refusalOf(schema: z.ZodType, json: unknown): string {
  const reading = readBody(schema, bytes(json))
  return reading.ok ? 'accepted' : `${reading.code} ${reading.detail}`
}

function extensions(count: number) {
  return {
    extension: Array.from({ length: count }, (_, index) => ({ key: `k${index}`, value: 'v' })),
  }
}

describe('what is not a body at all', () => {
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['no JSON', Buffer.from('{"transferId":')],
    ['two JSON texts', Buffer.from('{}{}')],
    ['a list', Buffer.from('[]')],
    ['a text', Buffer.from('"x"')],
    ['null', Buffer.from('null')],
    ['broken UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff), Buffer.from('"}')])],
    ['overlong UTF-8', Buffer.from([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['a half pair in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a byte order mark', Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), bytes(transfer)])],
  ])('%s is malformed', (_, body) => {
    expect(readBody(postTransfers, body)).toMatchObject({ ok: false, code: '3101' })
  })

  test('Nesting beyond all use is malformed, however deep', () => {
    const deep = `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`
    expect(readBody(postTransfers, Buffer.from(deep))).toEqual({
      ok: false,
      code: '3101',
      detail: 'nested deeper than 32',
    })
  })
})

describe('members with a meaning of their own to the language', () => {
  test.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__'])(
    '%s is refused wherever it stands, and changes nothing',
    (name) => {
      const inner = `{"${name}":{"polluted":"yes"}}`
      for (const text of [inner, `{"a":${inner}}`, `{"a":[[${inner}]]}`]) {
        const reading = readBody(postTransfers, Buffer.from(text))
        expect(reading).toMatchObject({ ok: false, code: '3101' })
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    },
  )

  test('As values, names with a meaning in JavaScript are texts like any other', () => {
    expect(refusalOf(postTransfers, { ...transfer, payerFsp: '__proto__' })).toBe('accepted')
  })
})

describe('texts that nothing can keep', () => {
  test.each(['\\u0000', '\\ud800', '\\udc00', 'a\\ud83d!'])('%s is refused', (escape) => {
    for (const text of [`{"note":"${escape}"}`, `{"${escape}":1}`, `{"a":["x${escape}"]}`]) {
      expect(readBody(postTransfers, Buffer.from(text))).toMatchObject({
        code: '3101',
        detail: 'a text holds NUL or half a surrogate pair',
      })
    }
  })

  test('A whole pair is a character, escaped or not', () => {
    const text = JSON.stringify({ ...transfer, note: 'x' }).replace(
      '"x"',
      '"\\ud83d\\ude00 \\u00e9"',
    )
    expect(readBody(postTransfers, Buffer.from(text)).ok).toBe(true)
  })
})

describe('a body that is accepted', () => {
  test('An accepted body is given as a value and as it was sent', () => {
    const reading = readBody(postTransfers, bytes(transfer))
    expect(reading).toEqual({ ok: true, value: transfer, json: transfer })
  })

  test('An accepted body keeps members that the API does not know, at any depth', () => {
    const extended = {
      ...transfer,
      unknown: { list: [1, null, true] },
      amount: { ...transfer.amount, unit: 'x' },
      extensionList: { extension: [{ key: 'k', value: 'v', more: 1 }], note: 'n' },
    }
    const reading = readBody(postTransfers, bytes(extended))
    expect(reading).toEqual({ ok: true, value: extended, json: extended })
  })

  test('An accepted body may hold its extensions as a bare list, which becomes an object', () => {
    const bare = { ...transfer, extensionList: [{ key: 'k', value: 'v' }] }
    const reading = readBody(postTransfers, bytes(bare))
    expect(reading).toMatchObject({
      ok: true,
      value: { extensionList: { extension: [{ key: 'k', value: 'v' }] } },
      json: bare,
    })
  })

  test('An accepted body may have sixteen extensions', () => {
    expect(refusalOf(postTransfers, { ...transfer, extensionList: extensions(16) })).toBe(
      'accepted',
    )
  })
})

describe('The error code of a refused body', () => {
  const { amount, ...withoutAmount } = transfer

  test.each([
    ['a missing element', withoutAmount, '3102 /amount'],
    ['a missing element within', { ...transfer, amount: { amount: '1' } }, '3102 /amount/currency'],
    ['nothing at all', {}, '3102 /transferId'],
    ['null', { ...transfer, payerFsp: null }, '3101 /payerFsp: not a JSON string'],
    [
      'an optional null',
      { ...transfer, extensionList: null },
      '3101 /extensionList: not a JSON object',
    ],
    ['a number for a text', { ...transfer, payeeFsp: 7 }, '3101 /payeeFsp: not a JSON string'],
    [
      'a number for an amount',
      { ...transfer, amount: { ...amount, amount: 99 } },
      '3101 /amount/amount: not a JSON string',
    ],
    ['a list for an object', { ...transfer, amount: [] }, '3101 /amount: not a JSON object'],
    [
      'a wrong pattern',
      { ...transfer, amount: { ...amount, amount: '5.50' } },
      '3101 /amount/amount: not a legal Amount',
    ],
    [
      'an unknown currency',
      { ...transfer, amount: { ...amount, currency: 'ZZZ' } },
      '3101 /amount/currency: not a known Currency',
    ],
    [
      'an empty text',
      { ...transfer, payerFsp: '' },
      '3100 /payerFsp: must have 1 to 32 characters',
    ],
    [
      'too long a text',
      { ...transfer, payerFsp: 'x'.repeat(33) },
      '3100 /payerFsp: must have 1 to 32 characters',
    ],
    [
      'too long a packet',
      { ...transfer, ilpPacket: 'A'.repeat(32_769) },
      '3100 /ilpPacket: must have 1 to 32768 characters',
    ],
    [
      'seventeen extensions',
      { ...transfer, extensionList: extensions(17) },
      '3103 /extensionList/extension: more than 16 elements',
    ],
    [
      'seventeen extensions in a bare list',
      { ...transfer, extensionList: extensions(17).extension },
      '3103 /extensionList: more than 16 elements',
    ],
    [
      'no extension',
      { ...transfer, extensionList: extensions(0) },
      '3100 /extensionList/extension: fewer than 1 elements',
    ],
    [
      'an extension without value',
      { ...transfer, extensionList: { extension: [{ key: 'a', value: 'b' }, { key: 'c' }] } },
      '3102 /extensionList/extension/1/value',
    ],
    [
      'one without value in a bare list',
      { ...transfer, extensionList: [{ key: 'c' }] },
      '3102 /extensionList/0/value',
    ],
  ])('%s', (_, json, outcome) => {
    expect(refusalOf(postTransfers, json)).toBe(outcome)
  })

  test('A missing element is reported before all else', () => {
    const json = { ...withoutAmount, transferId: 'x', payeeFsp: 5, expiration: 'soon' }
    expect(refusalOf(postTransfers, json)).toBe('3102 /amount')
  })

  test('The first fault in the document is reported, not the first in the specification', () => {
    const wrong = { amount: '5.0', currency: 'ZZZ' }
    expect(refusalOf(postTransfers, { ...withoutAmount, expiration: 'soon', amount: wrong })).toBe(
      '3101 /expiration: not a legal DateTime',
    )
    expect(refusalOf(postTransfers, { amount: wrong, ...withoutAmount, expiration: 'soon' })).toBe(
      '3101 /amount/amount: not a legal Amount',
    )
  })

  test('The first of many faults is reported in lists too', () => {
    const extension = [
      { key: 'a', value: 'b' },
      { value: '', key: '' },
      { key: '', value: '' },
    ]
    expect(refusalOf(z.object({ extensionList }), { extensionList: { extension } })).toBe(
      '3100 /extensionList/extension/1/value: must have 1 to 128 characters',
    )
  })
})

describe('with the codes of Mojaloop', () => {
  const outcome = (json: unknown, schema: z.ZodType = postTransfers) => {
    const reading = readBody(schema, bytes(json), { codes: 'mojaloop' })
    return reading.ok ? 'accepted' : `${reading.code} ${reading.detail}`
  }
  const { amount, ...withoutAmount } = transfer

  test.each([
    ['a missing element is 3102', withoutAmount, '3102 /amount'],
    ['a list for an object is 3101', { ...transfer, amount: [] }, '3101 /amount'],
    ['a text for an object is 3101', { ...transfer, amount: '5' }, '3101 /amount'],
    ['null for an object is 3101', { ...transfer, amount: null }, '3101 /amount'],
    [
      'an object for a list is 3101',
      { ...transfer, extensionList: { extension: {} } },
      '3101 /extensionList/extension',
    ],
    [
      'a text for an optional object is 3101',
      { ...transfer, extensionList: 'x' },
      '3101 /extensionList',
    ],
    ['a number for a text is 3100', { ...transfer, payeeFsp: 7 }, '3100 /payeeFsp'],
    ['a boolean for a text is 3100', { ...transfer, payeeFsp: true }, '3100 /payeeFsp'],
    ['null for a text is 3100', { ...transfer, payeeFsp: null }, '3100 /payeeFsp'],
    ['an empty text is 3100', { ...transfer, payeeFsp: '' }, '3100 /payeeFsp'],
    ['a long text is 3100', { ...transfer, payeeFsp: 'x'.repeat(33) }, '3100 /payeeFsp'],
    ['an illegal identifier is 3100', { ...transfer, transferId: 'x' }, '3100 /transferId'],
    ['an illegal time is 3100', { ...transfer, expiration: 'soon' }, '3100 /expiration'],
    ['an illegal condition is 3100', { ...transfer, condition: 'x' }, '3100 /condition'],
    [
      'a number for an amount is 3100, so that no digit of it is lost in reading',
      { ...transfer, amount: { ...amount, amount: 99 } },
      '3100 /amount/amount',
    ],
    [
      'an illegal amount is 3100',
      { ...transfer, amount: { ...amount, amount: '5.50' } },
      '3100 /amount/amount',
    ],
    [
      'an unknown currency is 3100',
      { ...transfer, amount: { ...amount, currency: 'ZZZ' } },
      '3100 /amount/currency',
    ],
    [
      'too many elements are 3100',
      { ...transfer, extensionList: extensions(17) },
      '3100 /extensionList/extension',
    ],
    [
      'too few elements are 3100',
      { ...transfer, extensionList: extensions(0) },
      '3100 /extensionList/extension',
    ],
  ])('%s', (_, json, expected) => {
    expect(outcome(json).slice(0, expected.length)).toBe(expected)
  })

  test('With the codes of Mojaloop a value outside its list is 3100', () => {
    const committed = { transferState: 'DONE' }
    expect(outcome(committed, putTransfers)).toMatch(/^3100 \/transferState/)
    const pin = { authenticationInfo: { authentication: 'PIN', authenticationValue: '1' } }
    const schema = z.looseObject({ authenticationInfo })
    expect(outcome(pin, schema)).toMatch(/^3100 \/authenticationInfo\/authentication/)
  })

  test('With the codes of Mojaloop an encrypted message has the same codes', () => {
    const reading = readBody(postTransfers, bytes({ ...transfer, payeeFsp: 7 }), {
      encrypted: [['note']],
      codes: 'mojaloop',
    })
    expect(reading).toMatchObject({ ok: false, code: '3100' })
  })
})

describe('names and dates of birth', () => {
  const withPersonalInfo = (personalInfo: unknown) => ({
    party: { partyIdInfo: { partyIdType: 'ALIAS', partyIdentifier: 'a' }, personalInfo },
  })

  test.each(["Jean-Luc O'Neil, Jr.", 'Zoë', 'Müller-Lüdenscheid', '李小龍', 'अमित', 'ကျော်'])(
    'The name %s is accepted',
    (firstName) => {
      expect(refusalOf(partyMessage, withPersonalInfo({ complexName: { firstName } }))).toBe(
        'accepted',
      )
    },
  )

  test.each(['', ' ', 'a@b', 'x'.repeat(129)])('The name %j is 3100 and named', (firstName) => {
    expect(refusalOf(partyMessage, withPersonalInfo({ complexName: { firstName } }))).toBe(
      '3100 /party/personalInfo/complexName/firstName: not a legal Name',
    )
  })

  test.each(['1900-02-29', '1986-2-14', ''])('The date of birth %j is 3100 and named', (text) => {
    expect(refusalOf(partyMessage, withPersonalInfo({ dateOfBirth: text }))).toBe(
      '3100 /party/personalInfo/dateOfBirth: not a legal DateOfBirth',
    )
  })

  test('A name that is not a text has a wrong type like any other element', () => {
    expect(refusalOf(partyMessage, withPersonalInfo({ complexName: { lastName: 5 } }))).toBe(
      '3101 /party/personalInfo/complexName/lastName: not a JSON string',
    )
  })

  test('A type of identifier outside the list is malformed', () => {
    const json = { party: { partyIdInfo: { partyIdType: 'msisdn', partyIdentifier: '1' } } }
    expect(refusalOf(partyMessage, json)).toBe(
      '3101 /party/partyIdInfo/partyIdType: not one of its values',
    )
  })
})

describe('authentication', () => {
  const schema = z.compile(z.looseObject({ authenticationInfo: authenticationInfo.optional() }))
  const outcome = (info: unknown) => refusalOf(schema, { authenticationInfo: info })

  test.each([
    { authentication: 'OTP', authenticationValue: '0123' },
    { authentication: 'QRCODE', authenticationValue: '0123' },
    { authentication: 'QRCODE', authenticationValue: 'any text' },
    { authentication: 'U2F', authenticationValue: { pinValue: 'x', counter: '1' } },
  ])('%j is taken', (info) => {
    expect(outcome(info)).toBe('accepted')
  })

  test.each([
    [{}, '3102 /authenticationInfo/authentication'],
    [{ authentication: 'OTP' }, '3102 /authenticationInfo/authenticationValue'],
    [{ authentication: 'PIN' }, '3101 /authenticationInfo/authentication: not one of its values'],
    [
      { authentication: 'OTP', authenticationValue: 'any text' },
      '3101 /authenticationInfo/authenticationValue: not a legal OtpValue',
    ],
    [
      { authentication: 'U2F', authenticationValue: 'x' },
      '3101 /authenticationInfo/authenticationValue: not a JSON object',
    ],
    [
      { authentication: 'U2F', authenticationValue: { pinValue: 'x', counter: '0' } },
      '3101 /authenticationInfo/authenticationValue/counter: not a legal Integer',
    ],
    [null, '3101 /authenticationInfo: not a JSON object'],
  ])('%j is refused', (info, expected) => {
    expect(outcome(info)).toBe(expected)
  })
})

test('Any error code of the numbering is accepted in an error callback', () => {
  const body = (errorCode: unknown) => ({ errorInformation: { errorCode, errorDescription: 'x' } })
  for (const code of ['5199', '3999', '9000']) {
    expect(refusalOf(errorBody, body(code))).toBe('accepted')
  }
  expect(refusalOf(errorBody, body('0999'))).toBe(
    '3101 /errorInformation/errorCode: not a legal ErrorCode',
  )
  expect(refusalOf(errorBody, {})).toBe('3102 /errorInformation')
  expect(refusalOf(errorBody, { errorInformation: { errorCode: '3100' } })).toBe(
    '3102 /errorInformation/errorDescription',
  )
})

describe('a mutated body', () => {
  const junk = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(null, '', '0', 0, -1, [], {}, 'x'.repeat(40_000), '\u0000', '\ud800'),
  )
  const valid = {
    ...transfer,
    extensionList: extensions(3),
    completedTimestamp: transfer.expiration,
  }
  const paths = [
    ...Object.keys(valid).map((name) => [name]),
    ['amount', 'amount'],
    ['amount', 'currency'],
    ['extensionList', 'extension'],
    ['unknown'],
    ['amount', 'unknown'],
  ]

  function mutated(path: readonly string[], value: unknown): unknown {
    const copy = structuredClone(valid) as Record<string, unknown>
    const [first = '', second] = path
    if (second === undefined) copy[first] = value
    else (copy[first] as Record<string, unknown>)[second] = value
    return copy
  }

  test.each([
    ['POST', postTransfers],
    ['PUT', putTransfers],
    ['PATCH', patchTransfers],
    ['PUT error', errorBody],
  ])('A mutated body of %s is accepted or refused with a code of the catalogue', (_, schema) => {
    fc.assert(
      fc.property(fc.constantFrom(...paths), junk, (path, value) => {
        const reading = readBody(schema, bytes(mutated(path, value)))
        expect(reading.ok || Object.hasOwn(errorCatalogue, reading.code)).toBe(true)
        expect(reading.ok || reading.detail.length > 0).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('A body of any bytes is accepted or refused with a code', () => {
    const whole = bytes(valid)
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.uint8Array({ maxLength: 4 }), (at, inserted) => {
        const body = Buffer.concat([whole.subarray(0, at), inserted, whole.subarray(at + 1)])
        const reading = readBody(postTransfers, body)
        expect(reading.ok || reading.code.startsWith('31')).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})

test('Ten thousand faults cost no more than one walk over the body', () => {
  const schema = z.compile(z.object({ list: z.array(z.object({ state: transferState })) }))
  const noise = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`n${index}`, 1]))
  const list = Array.from({ length: 10_000 }, () => ({ state: 'x' }))
  expect(readJson(schema, { ...noise, list })).toMatchObject({
    code: '3101',
    detail: '/list/0/state: not one of its values',
  })
})
