/** Who may answer for a party and about a request, asked over gRPC of account-lookup and notifications. */
import { Outage } from '@causeway/process'
import {
  accountLookupService,
  idempotencyKeysService,
  type OwnerAnswer as Answered,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { openOwners, type Owners } from './owners.ts'
import { openRecordedRequests } from './recorded.ts'

const party = { partyIdType: 'MSISDN', partyIdentifier: '12025550199' }
const subParty = { partyIdType: 'BUSINESS', partyIdentifier: 'hats', partySubIdOrType: 'till1' }

let parts: TestParts
let owners: Owners
/** The numbers of parties in the calls so far. */
let calls: number[]
let answerOf: (named: { partyIdentifier: string; answeringFspId?: string | undefined }) => Answered
let contents: Readonly<Record<string, string>>
let isAway: boolean

beforeAll(async () => {
  parts = await openTestParts()
  parts.grpc.serve(accountLookupService, {
    FindOwners({ queries }) {
      calls.push(queries.length)
      if (isAway) return Promise.reject(new Outage('away', { kind: 'AWAY' }))
      return Promise.resolve({ answers: queries.map((query) => answerOf(query)) })
    },
  })
  parts.grpc.serve(idempotencyKeysService, {
    GetIdempotencyContents({ keys }) {
      if (isAway) return Promise.reject(new Outage('away', { kind: 'AWAY' }))
      return Promise.resolve({ contents: keys.map((key) => contents[key] ?? '') })
    },
  })
})
afterAll(() => parts.stop())

beforeEach(() => {
  calls = []
  isAway = false
  contents = {}
  answerOf = () => ({ outcome: 'FOUND', fspIds: ['bluewallet'], mayAnswer: true })
  owners = openOwners({ grpc: parts.grpc, log: parts.log, age_max_ms: 3_600_000 })
})
afterEach(() => owners.stop())

describe('Parties', () => {
  test('Questions of one turn are one call, and a yes is cached', async () => {
    const answers = await Promise.all([
      owners.ownerAnswer(party, 'bluewallet'),
      owners.ownerAnswer(subParty, 'bluewallet'),
      owners.ownerAnswer(party, 'bluewallet'),
    ])
    expect(answers).toEqual(['OWNER', 'OWNER', 'OWNER'])
    expect(await owners.ownerAnswer(subParty, 'bluewallet')).toBe('OWNER')
    expect(calls).toEqual([2])
  })

  test.each<[Answered['outcome'], string[], string]>([
    ['FOUND', ['bluewallet'], 'OTHERS'],
    ['PARTY_UNKNOWN', [], 'NONE'],
    ['ORACLE_MISSING', [], 'NONE'],
    ['ORACLE_AWAY', [], 'UNAVAILABLE'],
  ])('%s with the owners %j means %s, and is asked again', async (outcome, fspIds, expected) => {
    answerOf = () => ({ outcome, fspIds, mayAnswer: false })
    expect(await owners.ownerAnswer(party, 'redcredit')).toBe(expected)
    expect(await owners.ownerAnswer(party, 'redcredit')).toBe(expected)
    expect(calls).toEqual([1, 1])
  })

  test('An FSP may answer that was the owner when the oracle answered last', async () => {
    answerOf = () => ({ outcome: 'ORACLE_AWAY', fspIds: [], mayAnswer: true })
    expect(await owners.ownerAnswer(party, 'bluewallet')).toBe('OWNER')
  })

  test('While account-lookup is away nothing is known', async () => {
    isAway = true
    expect(await owners.ownerAnswer(party, 'bluewallet')).toBe('UNAVAILABLE')
  })
})

describe('Recorded requests', () => {
  const between = (one: string, other: string) =>
    openRecordedRequests(parts.grpc).areBetween('consentRequests/1', [one, other])

  test('Sender and receiver are known in both directions, and others are not', async () => {
    contents = { 'consentRequests/1': 'greenbank bluewallet hash' }
    expect(await between('greenbank', 'bluewallet')).toBe('YES')
    expect(await between('bluewallet', 'greenbank')).toBe('YES')
    expect(await between('greenbank', 'redcredit')).toBe('OTHERS')
    expect(await between('green', 'bluewallet')).toBe('OTHERS')
  })

  test('An id without a request is known as such, and nothing while notifications is away', async () => {
    expect(await between('greenbank', 'bluewallet')).toBe('NONE')
    isAway = true
    expect(await between('greenbank', 'bluewallet')).toBe('UNAVAILABLE')
  })
})
