import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decideOracle, selectOracle, type Oracle, type Proposal } from './oracle.ts'

const proposal: Proposal = {
  oracleIdType: 'MSISDN',
  endpointValue: 'http://oracle.example/v1',
  endpointType: 'URL',
  currency: '',
  isDefault: false,
}

describe('an oracle', () => {
  test.each([
    {},
    { oracleIdType: 'THIRD_PARTY_LINK' },
    { endpointValue: 'builtin:' },
    { endpointValue: 'https://oracle.example:8443/' },
    { currency: 'USD', isDefault: true },
  ])('An oracle may be registered with %j', (changes) => {
    expect(decideOracle({ ...proposal, ...changes })).toEqual({
      type: 'accept',
      draft: { ...proposal, ...changes },
    })
  })

  test('An oracle for CONSENTS is registered for CONSENT', () => {
    expect(decideOracle({ ...proposal, oracleIdType: 'CONSENTS' })).toMatchObject({
      draft: { oracleIdType: 'CONSENT' },
    })
  })

  test.each([
    [{ oracleIdType: 'PHONE' }, /oracleIdType/],
    [{ oracleIdType: '' }, /oracleIdType/],
    [{ endpointType: 'GRPC' }, /endpointType/],
    [{ endpointType: '' }, /endpointType/],
    [{ endpointValue: '' }, /endpoint.value/],
    [{ endpointValue: 'oracle.example' }, /endpoint.value/],
    [{ endpointValue: 'ftp://oracle.example' }, /endpoint.value/],
    [{ endpointValue: 'http://oracle example' }, /endpoint.value/],
    [{ endpointValue: 'http://me:secret@oracle.example' }, /password/],
    [{ endpointValue: 'http://oracle.example/?a=b' }, /query/],
    [{ endpointValue: 'http://oracle.example/#a' }, /fragment/],
    [{ endpointValue: `http://oracle.example/${'x'.repeat(1_024)}` }, /1024/],
    [{ currency: 'DOLLAR' }, /DOLLAR/],
  ])('An oracle is refused with %j', (changes, detail) => {
    expect(decideOracle({ ...proposal, ...changes })).toEqual({
      type: 'REFUSE',
      reason: 'INVALID',
      detail: expect.stringMatching(detail) as unknown,
    })
  })
})

function oracle(id: number, changes: Partial<Oracle> = {}): Oracle {
  return {
    id,
    oracleIdType: 'MSISDN',
    endpointValue: `http://${id}.example`,
    endpointType: 'URL',
    currency: '',
    isDefault: false,
    ...changes,
  }
}

describe('the oracle for a request', () => {
  const usd = oracle(1, { currency: 'USD' })
  const eur = oracle(2, { currency: 'EUR' })
  const other = oracle(3, { isDefault: true })
  const alias = oracle(4, { oracleIdType: 'ALIAS' })

  test.each([
    ['the one of its currency', [usd, eur, other], 'EUR', 2],
    ['the default one when there is none of its currency', [usd, eur, other], 'KES', 3],
    ['the default one when no currency is requested', [usd, eur, other], '', 3],
    ['the only one, in any currency', [usd, alias], 'EUR', 1],
    ['the only one when no currency is requested', [usd, alias], '', 1],
    ['none of several that do not fit', [usd, eur], 'KES', undefined],
    ['none of several when no currency is requested', [usd, eur], '', undefined],
    ['none when none is registered for the type', [alias], '', undefined],
    [
      'of two default ones the one for any currency',
      [oracle(5, { currency: 'USD', isDefault: true }), oracle(6, { isDefault: true })],
      'KES',
      6,
    ],
    [
      'of two for its currency the default one',
      [usd, oracle(5, { currency: 'USD', isDefault: true })],
      'USD',
      5,
    ],
  ])('The oracle for a request is %s', (_title, oracles, currency, expected) => {
    expect(selectOracle(oracles, 'MSISDN', currency)?.id).toBe(expected)
  })

  test('The selected oracle does not depend on the order of the list', () => {
    const any = fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 1, max: 20 }),
        currency: fc.constantFrom('', 'USD', 'EUR'),
        isDefault: fc.boolean(),
      }),
      { selector: ({ id }) => id, maxLength: 6 },
    )
    fc.assert(
      fc.property(any, fc.constantFrom('', 'USD', 'KES'), (list, currency) => {
        const oracles = list.map(({ id, ...changes }) => oracle(id, changes))
        const reversed = [...oracles].reverse()
        expect(selectOracle(reversed, 'MSISDN', currency)).toEqual(
          selectOracle(oracles, 'MSISDN', currency),
        )
      }),
    )
  })
})
