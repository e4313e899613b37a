import { describe, expect, test } from '@jest/globals'
import { checklist, type Facts, type ItemName } from './checklist.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
const before = new Date('2026-05-01T11:00:00.000Z')
const after = new Date('2026-05-01T13:00:00.000Z')

const key = { kid: 'key-1', use: 'sig', validFrom: before, validTo: null }
const covered = { coverType: 'SETTLEMENT', modelWithoutCheck: null }
const usd = {
  currency: 'USD',
  hasLimit: true,
  inactiveAccounts: [],
  ...covered,
  funds: 10_000n,
}
const pinged = { receivedAt: before, identity: 'mtls' }
const readyPing = { ...pinged, answer: { type: 'DELIVERED', at: before } } as const

const readyFacts: Facts = {
  name: 'greenbank',
  type: 'DFSP',
  edgeIdentity: 'mtls',
  isActive: true,
  endpointTypes: new Set(['FSPIOP_CALLBACK_URL']),
  unusableEndpoints: [],
  currencies: [usd],
  keys: [key],
  clientSecrets: 0,
  certificateValidTo: after,
  ping: readyPing,
  unreachable: null,
  deadLetters: [],
}

function lacking(changes: Partial<Facts>): Partial<Record<ItemName, string>> {
  const { ready, items } = checklist({ ...readyFacts, ...changes }, now)
  const missing = items.filter(({ ok }) => !ok)
  expect(ready).toBe(missing.length === 0)
  return Object.fromEntries(missing.map(({ item, text }) => [item, text]))
}

test('An FSP without missing items is ready, and each item describes what exists', () => {
  expect(lacking({})).toEqual({})
  const { items } = checklist(readyFacts, now)
  expect(items.map(({ text }) => text)).toEqual([
    'Its signatures are verified with key-1.',
    'It has a client certificate until 2026-05-01T13:00:00.000Z.',
    'Every callback has an address: FSPIOP_CALLBACK_URL serves what has none of its own.',
    'It has a net debit cap in USD.',
    'Its accounts are active.',
    "Its ping of 2026-05-01T11:00:00.000Z was received, and the hub's own ping reached it at 2026-05-01T11:00:00.000Z.",
    'Its last callbacks have reached it, if there were any.',
    'It has no dead letters of the time since its last ping was answered.',
    'It is active.',
    'It has funds in USD.',
  ])
})

test('A new FSP has every item missing at once, in the best order of onboarding', () => {
  const missing = lacking({
    isActive: false,
    endpointTypes: new Set(),
    currencies: [
      {
        currency: 'USD',
        hasLimit: false,
        inactiveAccounts: [{ id: 7, type: 'POSITION' }],
        ...covered,
        funds: 0n,
      },
    ],
    keys: [],
    certificateValidTo: null,
    ping: null,
  })
  const expected = [
    'keys',
    'identity',
    'endpoints',
    'limits',
    'accounts',
    'ping',
    'active',
    'funds',
  ]
  expect(Object.keys(missing)).toEqual(expected)
  for (const text of Object.values(missing)) expect(text).toMatch(/(POST|PUT) \//)
  expect(missing.funds).toContain('activate it, then record')
})

describe('keys:', () => {
  test.each([
    ['one for encryption does not sign', { ...key, use: 'enc' }, 'No key verifies'],
    ['one that has ended', { ...key, validTo: now }, 'has ended'],
    ['one that is not valid yet', { ...key, validFrom: after }, 'key-1 is from 2026-05-01T13'],
  ])('For signatures %s is not enough', (_, one, words) => {
    expect(lacking({ keys: [one] }).keys).toContain(words)
  })

  test('For signatures one valid key is enough, whatever has ended', () => {
    const ended = { ...key, kid: 'old', validTo: before }
    expect(lacking({ keys: [ended, { ...key, validTo: after }] })).toEqual({})
  })
})

describe('identity:', () => {
  const nothing = { clientSecrets: 0, certificateValidTo: null, ping: null }
  const identityOf = (changes: Partial<Facts>) => lacking({ ...nothing, ...changes }).identity

  test.each([
    ['mtls', 'a certificate', { certificateValidTo: after }],
    ['mtls', 'a certificate from elsewhere, shown by a ping', { ping: readyFacts.ping }],
    ['token', 'a secret', { clientSecrets: 1 }],
    ['token', 'a token, shown by a ping', { ping: { ...readyPing, identity: 'token' } }],
    ['header', 'nothing', {}],
  ] as const)('Where %s is required, %s is enough', (edgeIdentity, _what, changes) => {
    expect(identityOf({ edgeIdentity, ...changes })).toBeUndefined()
  })

  test.each([
    ['mtls', 'a secret', { clientSecrets: 1 }, 'no client certificate; issue one'],
    ['mtls', 'a ping with a token', { ping: { ...readyPing, identity: 'token' } }, 'certificates'],
    ['mtls', 'an ended one', { certificateValidTo: before }, 'ended at 2026-05-01T11'],
    ['token', 'a certificate', { certificateValidTo: after }, 'no client secret for tokens; issue'],
    ['token', 'a ping with a certificate', { ping: readyFacts.ping }, 'client-secrets'],
  ] as const)('Where %s is required, %s is not enough', (edgeIdentity, _what, changes, words) => {
    expect(identityOf({ edgeIdentity, ...changes })).toContain(words)
  })
})

describe('endpoints:', () => {
  const own = [
    'FSPIOP_CALLBACK_URL_PARTIES_GET',
    'FSPIOP_CALLBACK_URL_PARTIES_PUT',
    'FSPIOP_CALLBACK_URL_PARTIES_PUT_ERROR',
    'FSPIOP_CALLBACK_URL_QUOTES',
    'FSPIOP_CALLBACK_URL_TRANSFER_POST',
    'FSPIOP_CALLBACK_URL_TRANSFER_PUT',
    'FSPIOP_CALLBACK_URL_TRANSFER_ERROR',
  ]

  test('An endpoint that can never work is named with its fault', () => {
    const type = 'FSPIOP_CALLBACK_URL_QUOTES'
    const { endpoints = '' } = lacking({ unusableEndpoints: [{ type, fault: 'has a query' }] })
    expect(endpoints).toContain('sent to FSPIOP_CALLBACK_URL_QUOTES (its value has a query);')
  })

  test('Endpoints for every callback are enough', () => {
    expect(lacking({ endpointTypes: new Set(own) })).toEqual({})
  })

  test.each(own)('Without %s only that endpoint is missing', (type) => {
    const others = new Set(own.filter((one) => one !== type))
    const { endpoints = '' } = lacking({ endpointTypes: others })
    expect(endpoints).toContain(`no address: ${type};`)
  })
})

describe('ping:', () => {
  test('A ping in progress is shown as such', () => {
    const { ping } = lacking({ ping: { ...pinged, answer: { type: 'UNDER_WAY' } } })
    expect(ping).toContain('in progress')
  })

  test('A ping that did not reach the FSP shows the error', () => {
    const answer = { type: 'FAILED', error: 'connect ECONNREFUSED' } as const
    expect(lacking({ ping: { ...pinged, answer } }).ping).toContain('(connect ECONNREFUSED)')
  })
})

test('An FSP that the hub does not reach is not ready, with the time and the error', () => {
  const unreachable = { since: before, error: 'connect ECONNREFUSED' }
  expect(lacking({ unreachable })).toEqual({
    reachable: expect.stringContaining('since 2026-05-01T11:00:00.000Z (connect ECONNREFUSED)'),
  })
})

describe('deliveries:', () => {
  test('Failed callbacks count until a later ping has reached the FSP', () => {
    const deadLetters = [{ takenAt: after }, { takenAt: new Date('2026-05-01T10:00:00.000Z') }]
    expect(lacking({ deadLetters }).deliveries).toContain('1 callback to it is a dead letter')
    const answer = { type: 'DELIVERED', at: new Date('2026-05-01T13:00:01.000Z') } as const
    expect(lacking({ deadLetters, ping: { ...pinged, answer } })).toEqual({})
    expect(lacking({ deadLetters, ping: null }).deliveries).toContain(
      '2 callbacks to it are dead letters',
    )
  })
})

test('Each currency is checked by itself', () => {
  const eur = {
    currency: 'EUR',
    hasLimit: false,
    inactiveAccounts: [{ id: 9, type: 'SETTLEMENT' }],
    ...covered,
    funds: 0n,
  }
  expect(lacking({ currencies: [usd, eur] })).toEqual({
    limits: expect.stringContaining('no net debit cap in EUR:'),
    accounts: expect.stringContaining('9 (SETTLEMENT EUR)'),
    funds: expect.stringContaining('no funds in EUR;'),
  })
})

describe('funds:', () => {
  const unchecked = { ...usd, modelWithoutCheck: 'OPENNET', funds: 0n }

  test('Without the check of cover an FSP needs no funds, and the readiness says why', () => {
    const { items } = checklist({ ...readyFacts, currencies: [unchecked] }, now)
    const { ok, text } = items.find(({ item }) => item === 'funds') ?? {}
    expect(ok).toBe(true)
    expect(text).toContain('the check of the settlement model OPENNET is switched off')
  })

  test('Another currency still needs funds, on the account that covers it', () => {
    const eur = { ...usd, currency: 'EUR', coverType: 'INTERCHANGE_FEE_SETTLEMENT', funds: 0n }
    expect(lacking({ currencies: [unchecked, eur] }).funds).toMatch(
      /no funds in EUR; .* on its INTERCHANGE_FEE_SETTLEMENT account/,
    )
  })
})

describe('a PISP', () => {
  const pisp = {
    type: 'PISP',
    currencies: [],
    endpointTypes: new Set(['FSPIOP_CALLBACK_URL']),
  } as const

  test('A PISP is ready without currency, limit and funds', () => {
    expect(lacking(pisp)).toEqual({})
    const { items } = checklist({ ...readyFacts, ...pisp }, now)
    expect(items.map(({ item }) => item)).toEqual([
      'keys',
      'identity',
      'endpoints',
      'ping',
      'reachable',
      'deliveries',
      'active',
    ])
  })

  test('A PISP needs addresses for linking and its payments, and not for quotes and transfers', () => {
    const { endpoints = '' } = lacking({ ...pisp, endpointTypes: new Set() })
    expect(endpoints).toContain('TP_CB_URL_CONSENT_REQUEST_PUT,')
    expect(endpoints).toContain('FSPIOP_CALLBACK_URL_PARTIES_PUT,')
    expect(endpoints).not.toContain('TRANSFER_POST')
    expect(endpoints).not.toContain('CONSENT_REQUEST_POST')
  })
})

test('A DFSP with an address for some requests of PISPs needs one for all of them', () => {
  const paying = [
    'PARTIES_GET',
    'PARTIES_PUT',
    'PARTIES_PUT_ERROR',
    'QUOTES',
    'TRANSFER_POST',
    'TRANSFER_PUT',
    'TRANSFER_ERROR',
  ].map((name) => `FSPIOP_CALLBACK_URL_${name}`)
  expect(lacking({ endpointTypes: new Set(paying) })).toEqual({})
  const { endpoints = '' } = lacking({
    endpointTypes: new Set([...paying, 'TP_CB_URL_CONSENT_REQUEST_POST']),
  })
  expect(endpoints).toContain('no address: TP_CB_URL_ACCOUNTS_GET, TP_CB_URL_CONSENT_REQUEST_PATCH')
})
