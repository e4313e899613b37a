import { StartError } from '@causeway/process'
import type { Participant } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import { deliveries, openEdge } from '../testing/edge.ts'
import { participant } from '../testing/world.ts'
import { pisp, thirdPartyMessage } from '../testing/thirdparty.ts'
import { listedProviders, providersOf } from './providers.ts'

const edge = openEdge()

test.each(['THIRD_PARTY_DFSP', 'PISP', 'AUTH_SERVICE'])(
  'The providers of %s are sent by the hub itself',
  async (type) => {
    const sent = thirdPartyMessage('GET', {
      source: pisp,
      path: `/services/${type}`,
      changed: { 'fspiop-destination': undefined },
    })
    expect(await edge.outcomeOf(sent)).toBe('202')
    const published = edge.onlyMessage()
    expect(deliveries([published])).toEqual([
      `${pisp}: PUT http://${pisp}.example/services/${type}`,
    ])
    expect(published.body).toBe(`{"providers":["a ${type}"]}`)
    expect(published.payload['headers']).toMatchObject({
      'fspiop-source': 'Hub',
      'content-type': 'application/vnd.interoperability.services+json;version=1.0',
    })
  },
)

test('An unknown type of service is refused', async () => {
  const sent = thirdPartyMessage('GET', { source: pisp, path: '/services/BANK' })
  expect(await edge.outcomeOf(sent)).toBe(
    '400 3101 path parameter ServiceType: not one of its values',
  )
})

test.each([
  [256, '/services/PISP'],
  [257, '/services/PISP/error'],
])('A list of %i providers is sent to %s as a whole or not at all', async (count, path) => {
  const names = Array.from({ length: count }, (_, at) => `fsp-${String(at)}`)
  edge.provide(names)
  const sent = thirdPartyMessage('GET', { source: pisp, path: '/services/PISP' })
  expect(await edge.outcomeOf(sent)).toBe('202')
  const published = edge.onlyMessage()
  expect(deliveries([published])).toEqual([`${pisp}: PUT http://${pisp}.example${path}`])
  expect(JSON.parse(published.body ?? '')).toEqual(
    count === 256
      ? { providers: names }
      : {
          errorInformation: {
            errorCode: '2000',
            errorDescription:
              'Generic server error - more than 256 participants provide it, the maximum of a list',
          },
        },
  )
})

describe('Providers of services', () => {
  const none = new Map()
  const value = 'http://one.example'
  const having = (name: string, changed: Partial<Participant>, ...types: readonly string[]) =>
    participant(name, { endpoints: types.map((type) => ({ type, value })), ...changed })
  const post = 'TP_CB_URL_CONSENT_REQUEST_POST'
  const put = 'TP_CB_URL_CONSENT_REQUEST_PUT'
  const all = [
    having('zebra', { type: 'DFSP' }, post),
    having('antelope', { type: 'DFSP' }, post),
    having('dfsp-without', { type: 'DFSP' }, 'FSPIOP_CALLBACK_URL'),
    having('dfsp-asleep', { type: 'DFSP', isActive: false }, post),
    having('pisp-own', { type: 'PISP' }, put),
    having('pisp-base', { type: 'PISP' }, 'FSPIOP_CALLBACK_URL'),
    having('pisp-unreachable', { type: 'PISP' }),
    having('pisp-and-post', { type: 'PISP' }, put, post),
    having('dfsp-as-pisp', { type: 'DFSP' }, put),
    having('centralAuth', { type: 'AUTH_SERVICE' }),
    having('Hub', { type: 'HUB', isHub: true }, post, put),
  ]

  test('The providers of accounts are the active DFSPs with an address for consent requests', () => {
    expect(providersOf('THIRD_PARTY_DFSP', all, none)).toEqual(['antelope', 'zebra'])
  })

  test('The providers of payments are reachable PISPs, and DFSPs with an address for answers to consent requests', () => {
    expect(providersOf('PISP', all, none)).toEqual([
      'dfsp-as-pisp',
      'pisp-and-post',
      'pisp-base',
      'pisp-own',
    ])
  })

  test('The providers of verification are the auth services', () => {
    expect(providersOf('AUTH_SERVICE', all, none)).toEqual(['centralAuth'])
  })

  test('A list of providers may be empty, and is never truncated', () => {
    expect(providersOf('AUTH_SERVICE', [], none)).toEqual([])
    const many = Array.from({ length: 300 }, (_, at) =>
      having(`fsp-${String(at).padStart(3, '0')}`, { type: 'DFSP' }, post),
    )
    expect(providersOf('THIRD_PARTY_DFSP', many, none)).toHaveLength(300)
  })

  test('The providers of a type that the operator lists are the active participants of that list only', () => {
    const listed = listedProviders('THIRD_PARTY_DFSP dfsp-without  dfsp-asleep unknown Hub; PISP')
    expect(providersOf('THIRD_PARTY_DFSP', all, listed)).toEqual(['dfsp-without'])
    expect(providersOf('PISP', all, listed)).toEqual([])
    expect(providersOf('AUTH_SERVICE', all, listed)).toEqual(['centralAuth'])
  })

  test.each(['BANK bankx', 'PISP pispx; PISP pispy', 'pispx PISP'])(
    'A list of providers written as %j is refused at the start',
    (setting) => {
      expect(() => listedProviders(setting)).toThrow(StartError)
    },
  )
})
