import { describe, expect, test } from '@jest/globals'
import { partyPath, readAssociations, readBatchResults, readChangeResult } from './contract.ts'

function answer(status: number, body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {})
  return { status, headers: {}, body: Buffer.from(text), truncated: false }
}

const ana = { type: 'MSISDN', identifier: '27713803912', subId: '' } as const

describe('the owners that an oracle answers', () => {
  test('The owners in an answer have the sub id and currency that it gives', () => {
    const partyList = [
      { fspId: 'green', currency: 'USD', partySubIdOrType: 'till1', more: {} },
      { fspId: 'blue', currency: null },
    ]
    expect(readAssociations(answer(200, { partyList, more: 1 }))).toEqual([
      { fspId: 'green', currency: 'USD', subId: 'till1' },
      { fspId: 'blue', currency: '', subId: '' },
    ])
  })

  test.each([
    [200, { partyList: [] }],
    [404, 'no such page'],
    [400, { errorInformation: { errorCode: '3204', errorDescription: 'Party not found' } }],
    [204, ''],
  ])("An oracle's answer names no owner with %d %j", (status, body) => {
    expect(readAssociations(answer(status, body))).toEqual([])
  })

  test.each([
    [200, '{'],
    [200, '[]'],
    [200, {}],
    [200, { partyList: [{}] }],
    [200, { partyList: [{ fspId: 'x'.repeat(33) }] }],
    [200, { partyList: [{ fspId: 7 }] }],
    [200, { partyList: {} }],
    [201, { partyList: [] }],
    [301, ''],
    [401, {}],
    [403, {}],
    [429, {}],
    [500, {}],
    [503, {}],
  ])("An oracle's answer cannot be read with %d %j", (status, body) => {
    expect(readAssociations(answer(status, body))).toBeUndefined()
  })
})

describe('a change of one party', () => {
  test.each([
    [200, {}, { type: 'DONE' }],
    [201, {}, { type: 'DONE' }],
    [204, '', { type: 'DONE' }],
    [404, '', { type: 'UNKNOWN' }],
    [400, { errorInformation: { errorDescription: 'no' } }, { type: 'REFUSED', detail: 'no' }],
    [409, 'taken', { type: 'REFUSED', detail: 'the oracle answered 409' }],
    [302, '', undefined],
    [408, '', undefined],
    [429, '', undefined],
    [500, '', undefined],
  ])('The result of a change of one party is %d %j', (status, body, expected) => {
    expect(readChangeResult(answer(status, body))).toEqual(expected)
  })
})

describe('a change of many parties', () => {
  const bob = { ...ana, identifier: '1' }
  const partyIdOf = ({ type, identifier }: typeof bob) => ({
    partyIdType: type,
    partyIdentifier: identifier,
  })

  test('A batch answer has a result per party, in any order and spelling', () => {
    const partyList = [
      { partyId: { ...partyIdOf(bob) }, errorInformation: { errorDescription: 'taken' } },
      { partyId: { ...partyIdOf(ana), partyIdentifier: '+27713803912' } },
    ]
    expect(readBatchResults(answer(201, { partyList }), [ana, bob])).toEqual(
      new Map([
        ['MSISDN/27713803912/', { type: 'DONE' }],
        ['MSISDN/1/', { type: 'REFUSED', detail: 'taken' }],
      ]),
    )
  })

  test('A batch that is refused as a whole is refused for each party', () => {
    const refused = { errorInformation: { errorDescription: 'malformed' } }
    expect(readBatchResults(answer(400, refused), [ana])).toEqual(
      new Map([['MSISDN/27713803912/', { type: 'REFUSED', detail: 'malformed' }]]),
    )
  })

  test.each([
    [200, '{'],
    [201, {}],
    [204, ''],
    [500, ''],
  ])('The result of a change of many parties is undefined with %d %j', (status, body) => {
    expect(readBatchResults(answer(status, body), [ana])).toBeUndefined()
  })
})

describe('the path of a party', () => {
  test('The path of a party is escaped and has sub id and currency in the query', () => {
    const party = { type: 'ALIAS', identifier: 'ana%&+ü', subId: 'a b&c' } as const
    expect(partyPath(party, 'USD')).toBe(
      '/participants/ALIAS/ana%25%26%2B%C3%BC?currency=USD&partySubIdOrType=a%20b%26c',
    )
    expect(partyPath(party, '')).toBe(
      '/participants/ALIAS/ana%25%26%2B%C3%BC?partySubIdOrType=a%20b%26c',
    )
    expect(partyPath(party)).toBe('/participants/ALIAS/ana%25%26%2B%C3%BC')
    expect(partyPath(ana, '')).toBe('/participants/MSISDN/27713803912')
  })
})
