import { describe, expect, test } from '@jest/globals'
import { contentType, negotiateAccept, readContentType } from './media-type.ts'
import { resourceRules } from './resources.ts'

const base = 'application/vnd.interoperability.transfers+json'
const versionList = {
  extension: [
    { key: '1', value: '0' },
    { key: '1', value: '1' },
  ],
}

describe('Accept', () => {
  const accept = (header: string) => negotiateAccept(header, 'transfers', resourceRules.transfers)

  test.each([
    [`${base};version=1.0`, '1.0'],
    [`${base};version=1.1`, '1.1'],
    [`${base};version=1`, '1.1'],
    [base, '1.1'],
    [`${base} ; version=1.0`, '1.0'],
    [`${base}; version=1.0`, '1.0'],
    [`${base};version=9.9,${base};version=1.0`, '1.0'],
    [`${base};version=1.0, ${base};version=1.1`, '1.0'],
    [`${base};version=2 ,  ${base};version=1`, '1.1'],
    [`${base};version=9.9,${base}`, '1.1'],
    [`APPLICATION/vnd.interoperability.transfers+json;version=1.0`, '1.0'],
    [`${base};version=1.0, */*`, '1.0'],
    [`application/json;q=0.9, text/plain;charset=utf-8, ${base};version=1.1, */*;q=0.1`, '1.1'],
    [`${base};version=x, ${base};version=1.0;q=1, ${base};version=1.1`, '1.1'],
    [`${base};version=1.0,`, '1.0'],
  ])('%s agrees on %s', (header, version) => {
    expect(accept(header)).toEqual({ agreed: true, version })
  })

  test.each([
    '',
    ' ',
    '*/*',
    'application/json',
    'application/*',
    'application/vnd.interoperability.quotes+json;version=1.0',
    'application/vnd.interoperability.transfers+xml;version=1.0',
    `${base};version=x`,
    `${base};version=1.x`,
    `${base};version=`,
    `${base};version=1.0.0`,
    `${base};version=-1`,
    `${base};q=1`,
    `${base};version=1.0;`,
    `${base};version=1.0;q=1, */*`,
    `x${base};version=1.0`,
  ])('%j is malformed', (header) => {
    const reading = accept(header)
    expect(reading).toMatchObject({
      agreed: false,
      refusal: { status: 400, code: '3101', detail: expect.stringMatching(/\baccept\b/) },
    })
  })

  test.each([
    [`${base};version=9.9`],
    [`${base};version=1000`],
    [`${base};version=1.2`],
    [`${base};version=2.0,${base};version=0`],
    [`${base};version=01`],
    [`${base};version=9.9, */*`],
  ])('%s is not acceptable, and the answer lists what is', (header) => {
    expect(accept(header)).toEqual({
      agreed: false,
      refusal: {
        status: 406,
        code: '3001',
        detail:
          'The Client requested an unsupported version, see extension list for supported version(s).',
        extensionList: versionList,
      },
    })
  })

  test('Accept of a resource that is at 1.0 takes 1.1 as well, and 1.0 where the choice is ours', () => {
    const type = 'application/vnd.interoperability.authorizations+json'
    const rules = resourceRules.authorizations
    expect(negotiateAccept(`${type};version=1.1`, 'authorizations', rules)).toMatchObject({
      version: '1.1',
    })
    expect(negotiateAccept(`${type};version=1`, 'authorizations', rules)).toMatchObject({
      version: '1.0',
    })
  })

  test('Accept picks the highest minor version of a major one that is not the current', () => {
    const rules = {
      currentVersion: '2.0',
      versions: ['1.0', '1.1', '2.0'],
      destinationRequired: [],
    } as const
    expect(negotiateAccept(`${base};version=1`, 'transfers', rules)).toMatchObject({
      version: '1.1',
    })
  })
})

describe('Content-Type', () => {
  const read = (header: string) => readContentType(header, 'transfers', resourceRules.transfers)

  test.each([
    [`${base};version=1.0`, '1.0'],
    [`${base};version=1.1`, '1.1'],
    [`${base} ; version=1.1`, '1.1'],
    [`${base};version=1.1;charset=utf-8`, '1.1'],
    [`${base};version=1.1; charset=UTF-8`, '1.1'],
    [`${base};charset="utf-8";version=1.1`, '1.1'],
  ])('%s names %s', (header, version) => {
    expect(read(header)).toEqual({ agreed: true, version })
  })

  test.each([
    '',
    'application/xml',
    'text/plain; charset=utf-8',
    'application/jsonp',
    base.replace('+json', '+xml;version=1.1'),
  ])('%j is no JSON', (header) => {
    expect(read(header)).toMatchObject({
      agreed: false,
      refusal: { status: 400, code: '3101', detail: 'Unsupported Media Type' },
    })
  })

  test.each([
    'application/json',
    'text/json',
    base,
    `${base};version=1`,
    `${base};version=x`,
    `${base};version=1.1;charset=latin1`,
    `${base};version=1.1;boundary=x`,
    'application/vnd.interoperability.quotes+json;version=1.0',
    `${base};version=1.1, ${base};version=1.0`,
  ])('%j is malformed', (header) => {
    expect(read(header)).toMatchObject({
      agreed: false,
      refusal: {
        status: 400,
        code: '3101',
        detail: expect.stringMatching(/\bcontent-type\b/),
      },
    })
  })

  test('Content-Type of a version that is not supported is answered as Accept is', () => {
    expect(read(`${base};version=2.0`)).toEqual({
      agreed: false,
      refusal: {
        status: 406,
        code: '3001',
        detail: 'Client supplied a protocol version which is not supported by the server',
        extensionList: versionList,
      },
    })
  })
})

test('A written media type is exact', () => {
  expect(contentType('bulkTransfers', '1.1')).toBe(
    'application/vnd.interoperability.bulkTransfers+json;version=1.1',
  )
})

describe('a resource of the Third-Party API', () => {
  const rules = resourceRules.consents
  const own = 'application/vnd.interoperability.consents+json'
  const ofApi = 'application/vnd.interoperability.thirdparty+json'

  test.each([own, `${own};version=1`, `${own};version=1.0`, ofApi, `${ofApi};version=1.0`])(
    'A resource of the Third-Party API may be asked for as %s',
    (header) => {
      expect(negotiateAccept(header, 'consents', rules)).toEqual({ agreed: true, version: '1.0' })
    },
  )

  test.each([
    `${own};version=1.0`,
    `${ofApi};version=1.0`,
    `${ofApi};version=1.0;charset=utf-8`,
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/merge-patch+json',
  ])('A resource of the Third-Party API may be sent as %s', (header) => {
    expect(readContentType(header, 'consents', rules)).toEqual({ agreed: true, version: '1.0' })
  })

  test('A resource of the Third-Party API may be asked for as plain JSON', () => {
    expect(negotiateAccept('application/json', 'consents', rules)).toEqual({
      agreed: true,
      version: '1.0',
    })
  })

  test.each([own, ofApi, 'application/xml', 'application/vnd.interoperability.transfers+json'])(
    'A resource of the Third-Party API may not be sent as %s',
    (header) => {
      expect(readContentType(header, 'consents', rules)).toMatchObject({
        agreed: false,
        refusal: { status: 400, code: '3101' },
      })
    },
  )

  test.each([`${own};version=1.1`, `${ofApi};version=2.0`])(
    'A resource of the Third-Party API has no version %s',
    (header) => {
      const refusal = {
        status: 406,
        code: '3001',
        extensionList: { extension: [{ key: '1', value: '0' }] },
      }
      expect(readContentType(header, 'consents', rules)).toMatchObject({ agreed: false, refusal })
      expect(negotiateAccept(header, 'consents', rules)).toMatchObject({ agreed: false, refusal })
    },
  )

  test('No other resource may be named like one of the Third-Party API', () => {
    expect(negotiateAccept(ofApi, 'transfers', resourceRules.transfers).agreed).toBe(false)
    expect(
      readContentType('application/merge-patch+json', 'accounts', resourceRules.accounts),
    ).toMatchObject({
      agreed: false,
    })
  })
})
