/** The owner of a consent as account-lookup, or what stands in for it, answers over gRPC. */
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
      expect(queries).toEqual([
        { partyIdType: 'CONSENT', partyIdentifier: id, partySubIdOrType: '', currency: '' },
      ])
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

test('who owns a consent is asked once and remembered', async () => {
  answer = { outcome: 'FOUND', fspIds: ['centralAuth'] }
  const found = { type: 'FOUND', fspId: 'centralAuth' }
  expect(await owners.ownerOf(id)).toEqual(found)
  expect(await owners.ownerOf(id)).toEqual(found)
  expect(asked).toBe(1)
})

test.each(['PARTY_UNKNOWN', 'ORACLE_MISSING'])(
  'a consent that nobody owns (%s) is asked for every time',
  async (outcome) => {
    answer = { outcome, fspIds: [] }
    expect(await owners.ownerOf(id)).toEqual({ type: 'NONE' })
    answer = { outcome: 'FOUND', fspIds: ['centralAuth'] }
    expect(await owners.ownerOf(id)).toEqual({ type: 'FOUND', fspId: 'centralAuth' })
    expect(asked).toBe(2)
  },
)

test('an oracle that is away is no consent without an owner', async () => {
  answer = { outcome: 'ORACLE_AWAY', fspIds: [] }
  expect(await owners.ownerOf(id)).toEqual({ type: 'AWAY' })
})
