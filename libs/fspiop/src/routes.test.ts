import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { matchPath, routes } from './routes.ts'

const uuid = 'e5c1d8f3-72a6-4b09-8d14-f0b35a9c2e61'
const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

function operationOf(method: string, path: string): string {
  const match = matchPath(method, path)
  return match.kind === 'ROUTE' ? match.operation : match.kind
}

function faultOf(method: string, path: string): string | undefined {
  const match = matchPath(method, path)
  if (match.kind !== 'ROUTE') return match.kind
  return match.fault === undefined ? undefined : `${match.fault.code} ${match.fault.detail}`
}

test('Every route of the table is found by its own path, with its parameters', () => {
  for (const { template, methods, resource } of routes) {
    const type = template.includes('{Type}')
    const path = template
      .replace('{Type}', 'ALIAS')
      .replace('{ID}', type ? 'ana' : uuid)
      .replace('{SubId}', 'home')
      .replace('{ServiceType}', 'PISP')
    for (const method of methods) {
      expect(matchPath(method, path)).toMatchObject({
        kind: 'ROUTE',
        operation: `${method} ${template}`,
        resource,
        fault: undefined,
        parameters: {
          ...(type ? { Type: 'ALIAS', ID: 'ana' } : template.includes('{ID}') ? { ID: uuid } : {}),
          ...(template.includes('{SubId}') ? { SubId: 'home' } : {}),
          ...(template.includes('{ServiceType}') ? { ServiceType: 'PISP' } : {}),
        },
      })
    }
  }
})

describe('paths that could mean two things', () => {
  test.each([
    ['PUT', `/participants/${uuid}/error`, 'PUT /participants/{ID}/error'],
    ['PUT', `/participants/${uuid}`, 'PUT /participants/{ID}'],
    ['PUT', '/participants/MSISDN/123/error', 'PUT /participants/{Type}/{ID}/error'],
    ['PUT', '/participants/MSISDN/123/home', 'PUT /participants/{Type}/{ID}/{SubId}'],
    ['PUT', '/participants/MSISDN/123/home/error', 'PUT /participants/{Type}/{ID}/{SubId}/error'],
    ['GET', '/participants/ALIAS/error', 'GET /participants/{Type}/{ID}'],
    ['DELETE', '/participants/ALIAS/123/error', 'DELETE /participants/{Type}/{ID}/{SubId}'],
    ['PUT', '/parties/ALIAS/123/error', 'PUT /parties/{Type}/{ID}/error'],
    ['PUT', '/parties/ALIAS/123/Error', 'PUT /parties/{Type}/{ID}/{SubId}'],
    ['GET', '/parties/ALIAS/123/error', 'GET /parties/{Type}/{ID}/{SubId}'],
    ['PUT', '/parties/ALIAS/error', 'PUT /parties/{Type}/{ID}'],
    ['PUT', `/transfers/${uuid}/error`, 'PUT /transfers/{ID}/error'],
    ['PUT', '/accounts/error', 'PUT /accounts/{ID}'],
    ['PUT', '/accounts/error/error', 'PUT /accounts/{ID}/error'],
    ['PATCH', `/consent/${uuid}`, 'PATCH /consents/{ID}'],
    ['PUT', `/consent/${uuid}/error`, 'PUT /consents/{ID}/error'],
  ])('%s %s is %s', (method, path, operation) => {
    expect(operationOf(method, path)).toBe(operation)
  })
})

describe('a path that is not served', () => {
  test.each([
    '',
    '/',
    '/unknown',
    '/Transfers',
    '/TRANSFERS',
    '/transfers/',
    `/transfers/${uuid}/`,
    '//transfers',
    '/transfers//error',
    `/transfers/${uuid}/errors`,
    `/transfers/${uuid}/error/more`,
    'transfers',
    '/parties',
    '/parties/MSISDN',
    '/parties/MSISDN/',
    '/participants/A/B/C/D',
    '/transactions',
    '/authorizations',
    '/accounts',
    '/services',
    '/consent',
    '/thirdpartyRequests',
    '/thirdpartyRequests/quotes',
    `/thirdpartyRequests/${uuid}`,
  ])('%j is unknown', (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(matchPath(method, path)).toEqual({ kind: 'PATH_UNKNOWN' })
    }
  })

  test.each([
    ['DELETE', '/quotes/x', ['GET', 'PUT']],
    ['GET', '/transfers', ['POST']],
    ['POST', `/transfers/${uuid}`, ['GET', 'PUT', 'PATCH']],
    ['PATCH', `/transfers/${uuid}/error`, ['PUT']],
    ['GET', `/transfers/${uuid}/error`, ['PUT']],
    ['PATCH', '/participants/MSISDN/1', ['GET', 'POST', 'PUT', 'DELETE']],
    ['PATCH', '/participants/MSISDN/error', ['PUT', 'GET', 'POST', 'DELETE']],
    ['HEAD', '/quotes', ['POST']],
    ['DELETE', `/consentRequests/${uuid}`, ['GET', 'PUT', 'PATCH']],
    ['PATCH', `/thirdpartyRequests/authorizations/${uuid}`, ['GET', 'PUT']],
    ['DELETE', '/thirdpartyRequests/verifications', ['POST']],
    ['POST', `/consents/${uuid}`, ['GET', 'PUT', 'PATCH', 'DELETE']],
    ['put', `/transfers/${uuid}`, ['GET', 'PUT', 'PATCH']],
    ['constructor', '/quotes', ['POST']],
  ])('%s %s is a method that the path does not know', (method, path, allow) => {
    expect(matchPath(method, path)).toMatchObject({ kind: 'METHOD_UNKNOWN', allow })
  })
})

describe('identifiers', () => {
  const id = '3101 path parameter ID: not a legal'

  test.each([
    ['GET', `/transfers/${uuid.toUpperCase()}`, `${id} CorrelationId`],
    ['GET', '/transfers/1', `${id} CorrelationId`],
    ['PUT', '/transfers/1/error', `${id} CorrelationId`],
    ['GET', '/transfers/%zz', '3101 path parameter ID: not percent-encoded'],
    ['GET', '/parties/MSISDN/%2B123456789', undefined],
    ['GET', '/parties/MSISDN/+123456789', undefined],
    ['GET', '/parties/MSISDN/12-34', `${id} MSISDN`],
    ['GET', `/parties/MSISDN/${'1'.repeat(31)}`, `${id} MSISDN`],
    ['GET', '/parties/EMAIL/ana%40example.test', undefined],
    ['GET', '/parties/EMAIL/ana', `${id} EMAIL`],
    ['GET', '/parties/IBAN/SE4550000000058398257466', undefined],
    ['GET', '/parties/IBAN/4550000000058398257466', `${id} IBAN`],
    ['GET', '/parties/ALIAS/a%2Fb', `${id} PartyIdentifier`],
    ['GET', '/parties/ALIAS/a%3Fb', `${id} PartyIdentifier`],
    ['GET', '/parties/ALIAS/a%20b', undefined],
    ['GET', '/parties/BUSINESS/a%7Bb%7D%3C%3E%5C%60', undefined],
    ['GET', '/parties/EMAIL/a%20b%40example.test', `${id} EMAIL`],
    ['GET', '/parties/IBAN/SE45%205000', `${id} IBAN`],
    ['GET', '/parties/ALIAS/a%00b', `${id} PartyIdentifier`],
    ['GET', '/parties/ALIAS/%252F', undefined],
    ['GET', '/parties/ALIAS/..', `${id} PartyIdentifier`],
    ['GET', '/parties/ALIAS/%2E%2e', `${id} PartyIdentifier`],
    ['GET', '/parties/ALIAS/a/.', '3101 path parameter SubId: not a legal PartySubIdOrType'],
    ['GET', '/parties/ALIAS/...', undefined],
    ['POST', '/participants/ALIAS/error', `${id} PartyIdentifier`],
    ['PUT', '/parties/ALIAS/%65rror', `${id} PartyIdentifier`],
    ['GET', '/parties/ALIAS/a/error', '3101 path parameter SubId: not a legal PartySubIdOrType'],
    ['GET', '/parties/ALIAS/errors', undefined],
    ['GET', `/parties/ALIAS/${'x'.repeat(129)}`, `${id} PartyIdentifier`],
    ['GET', '/parties/ALIAS/%F0%9F%98%80', undefined],
    ['GET', '/parties/msisdn/1', '3101 path parameter Type: not a legal PartyIdType'],
    ['GET', '/participants/CONSENTS/1', undefined],
    ['POST', '/participants/CONSENT/1', undefined],
    ['DELETE', '/participants/THIRD_PARTY_LINK/bankx.acc.1', undefined],
    ['GET', '/parties/CONSENTS/1', '3101 path parameter Type: not a PartyIdType of a party'],
    ['PUT', '/parties/CONSENT/1/error', '3101 path parameter Type: not a PartyIdType of a party'],
    [
      'GET',
      '/parties/THIRD_PARTY_LINK/1',
      '3101 path parameter Type: not a PartyIdType of a party',
    ],
    ['GET', '/accounts/amina%40bankx.example', undefined],
    ['GET', '/accounts/a%2Fb%22%3F', undefined],
    ['GET', '/accounts/%2e%2e', `${id} identifier`],
    ['GET', '/accounts/a%0Ab', `${id} identifier`],
    ['GET', `/accounts/${'x'.repeat(129)}`, `${id} identifier`],
    ['GET', '/services/PISP', undefined],
    ['GET', '/services/BANK', '3101 path parameter ServiceType: not one of its values'],
    ['GET', `/consents/${uuid.toUpperCase()}`, undefined],
    ['GET', '/consents/00000000-0000-0000-0000-000000000001', undefined],
    ['GET', '/consents/1', `${id} CorrelationId`],
    ['PATCH', '/thirdpartyRequests/transactions/1', `${id} CorrelationId`],
    ['GET', '/parties/ALIAS/a/b%20c', undefined],
    ['GET', '/parties/ALIAS/a/b%2Fc', '3101 path parameter SubId: not a legal PartySubIdOrType'],
  ])('%s %s: %s', (method, path, fault) => {
    expect(faultOf(method, path)).toBe(fault)
  })

  test.each(
    routes.flatMap(({ template, methods }) =>
      /^\/(?!accounts)[^{]*\{ID\}/.test(template)
        ? methods.map((method) => [method, template.replace('{ID}', ulid)] as const)
        : [],
    ),
  )('%s %s names its object by a ULID', (method, path) => {
    expect(matchPath(method, path)).toMatchObject({ kind: 'ROUTE', fault: undefined })
  })

  test('Identifiers are percent-decoded exactly once', () => {
    expect(matchPath('GET', '/parties/ALIAS/%252F')).toMatchObject({ parameters: { ID: '%2F' } })
  })
})

test('Any method and path has an answer', () => {
  const segment = fc.oneof(fc.string(), fc.constantFrom('error', 'transfers', 'parties', '%', uuid))
  fc.assert(
    fc.property(fc.string(), fc.array(segment, { maxLength: 6 }), (method, segments) => {
      expect(matchPath(method, `/${segments.join('/')}`)).toHaveProperty('kind')
    }),
  )
})
