import { StartError } from '@causeway/process'
import type { Participant } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import { deliveries, openEdge } from '../testing/edge.ts'
import { participant } from '../testing/world.ts'
import { pisp, thirdPartyMessage } from '../testing/thirdparty.ts'
import { listedProviders, providersOf } from './providers.ts'

const edge = openEdge()

test.each(['THIRD_PARTY_DFSP', 'PISP', 'AUTH_SERVICE'])(
  'who serves %s is told by the hub itself',
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

test('an unknown type of service is refused', async () => {
  const sent = thirdPartyMessage('GET', { source: pisp, path: '/services/BANK' })
  expect(await edge.outcomeOf(sent)).toBe(
    '400 3101 path parameter ServiceType: not one of its values',
  )
})

test.each([
  [256, '/services/PISP'],
  [257, '/services/PISP/error'],
])('%i names are told at %s, and never a part of them', async (count, path) => {
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
              'Generic server error - more than 256 participants serve it, which is as many as a list may name',
          },
        },
  )
})

describe('the providers', () => {
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

  test('of accounts are the active DFSPs with an address for consent requests', () => {
    expect(providersOf('THIRD_PARTY_DFSP', all, none)).toEqual(['antelope', 'zebra'])
  })

  test('of payments are the PISPs that can be reached, and who answers as one', () => {
    expect(providersOf('PISP', all, none)).toEqual([
      'dfsp-as-pisp',
      'pisp-and-post',
      'pisp-base',
      'pisp-own',
    ])
  })

  test('of verification are the auth services', () => {
    expect(providersOf('AUTH_SERVICE', all, none)).toEqual(['centralAuth'])
  })

  test('may be none, and are all of them', () => {
    expect(providersOf('AUTH_SERVICE', [], none)).toEqual([])
    const many = Array.from({ length: 300 }, (_, at) =>
      having(`fsp-${String(at).padStart(3, '0')}`, { type: 'DFSP' }, post),
    )
    expect(providersOf('THIRD_PARTY_DFSP', many, none)).toHaveLength(300)
  })

  test('of a type that the operator lists are the active ones of that list and nobody else', () => {
    const listed = listedProviders('THIRD_PARTY_DFSP dfsp-without  dfsp-asleep unknown Hub; PISP')
    expect(providersOf('THIRD_PARTY_DFSP', all, listed)).toEqual(['dfsp-without'])
    expect(providersOf('PISP', all, listed)).toEqual([])
    expect(providersOf('AUTH_SERVICE', all, listed)).toEqual(['centralAuth'])
  })

  test.each(['BANK bankx', 'PISP pispx; PISP pispy', 'pispx PISP'])(
    'cannot be listed as %j',
    (setting) => {
      expect(() => listedProviders(setting)).toThrow(StartError)
    },
  )
})
