/** The owner of a consent over gRPC, answered by a test server for account-lookup. */
import { accountLookupService, type OwnerAnswer } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { openConsentOwners, type ConsentOwners } from './owners.ts'

const id = '7d34f91d-6a2c-4a0e-9c1b-5f8e2b7a4c10'
let parts: TestParts
let owners: ConsentOwners
let asked = 0
let answer: OwnerAnswer

beforeAll(async () => {
  parts = await openTestParts()
  parts.grpc.serve(accountLookupService, {
    FindOwners: ({ queries }) => {
      asked += 1
      expect(queries).toEqual([{ partyIdType: 'CONSENT', partyIdentifier: id }])
      return Promise.resolve({ answers: [answer] })
    },
  })
})
afterAll(() => parts.stop())
beforeEach(async () => {
  asked = 0
  await (owners as ConsentOwners | undefined)?.stop()
  owners = openConsentOwners({ grpc: parts.grpc, log: parts.log, age_max_ms: 3_600_000 })
})
afterAll(() => owners.stop())

test('The owner of a consent is queried once and cached', async () => {
  answer = { outcome: 'FOUND', fspIds: ['centralAuth'] }
  const found = { type: 'FOUND', fspId: 'centralAuth' }
  expect(await owners.ownerOf(id)).toEqual(found)
  expect(await owners.ownerOf(id)).toEqual(found)
  expect(asked).toBe(1)
})

test.each(['PARTY_UNKNOWN', 'ORACLE_MISSING'] as const)(
  'A consent without an owner (%s) is queried every time',
  async (outcome) => {
    answer = { outcome, fspIds: [] }
    expect(await owners.ownerOf(id)).toEqual({ type: 'NONE' })
    answer = { outcome: 'FOUND', fspIds: ['centralAuth'] }
    expect(await owners.ownerOf(id)).toEqual({ type: 'FOUND', fspId: 'centralAuth' })
    expect(asked).toBe(2)
  },
)

test('A consent has an unknown owner, not none, while an oracle is unavailable', async () => {
  answer = { outcome: 'ORACLE_AWAY', fspIds: [] }
  expect(await owners.ownerOf(id)).toEqual({ type: 'UNAVAILABLE' })
})
