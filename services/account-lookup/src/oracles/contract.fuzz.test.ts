/** Answers of oracles that are almost valid: read in bounds and as what can be relayed, or not usable. */
import { changedBytes, changedJson } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { partyKey, type Party } from '../domain/party.ts'
import {
  readAssociations,
  readBatchResults,
  readChangeResult,
  type ChangeResult,
} from './contract.ts'

const numRuns = 500
const ana: Party = { type: 'MSISDN', identifier: '27713803912', subId: '' }
const errorInformation = { errorCode: '3204', errorDescription: 'Party not found' }
const owners = {
  partyList: [
    { fspId: 'green', currency: 'USD', partySubIdOrType: 'till1' },
    { fspId: 'blue', currency: null },
  ],
}
const partyId = { partyIdType: 'MSISDN', partyIdentifier: '27713803912' }
const results = {
  partyList: [
    { partyId },
    { partyId: { ...partyId, partySubIdOrType: 'till1' }, errorInformation },
  ],
}

const answers = (...examples: readonly object[]) =>
  fc.record({
    status: fc.oneof(fc.constantFrom(200, 201, 400, 404), fc.integer({ min: 200, max: 599 })),
    headers: fc.constant({}),
    body: fc.oneof(
      changedBytes(examples.map((one) => Buffer.from(JSON.stringify(one)))),
      ...examples.map((one) => changedJson(one).map((json) => Buffer.from(JSON.stringify(json)))),
    ),
    truncated: fc.boolean(),
  })

test('Owners in a changed answer have ids of FSPs and short texts, or it is not usable', () => {
  fc.assert(
    fc.property(answers(owners), (answer) => {
      for (const { fspId, subId, currency } of readAssociations(answer) ?? []) {
        expect(fspId).toMatch(/^[^\p{Cc}]{1,32}$/u)
        expect(subId.length).toBeLessThanOrEqual(128)
        expect(currency.length).toBeLessThanOrEqual(128)
      }
    }),
    { numRuns },
  )
})

function expectResult(result: ChangeResult): void {
  expect(['DONE', 'UNKNOWN', 'REFUSED']).toContain(result.type)
  if (result.type === 'REFUSED') expect(result.detail).toMatch(/^[^\p{Cc}\p{Surrogate}]{0,128}$/u)
}

test('A changed answer to a change has a result that is documented, or is not usable', () => {
  fc.assert(
    fc.property(answers({ errorInformation }), (answer) => {
      const result = readChangeResult(answer)
      if (result !== undefined) expectResult(result)
    }),
    { numRuns },
  )
})

test('A changed answer to a batch has a result for each party in it, or is not usable', () => {
  const parties = [ana, { ...ana, subId: 'till1' }]
  fc.assert(
    fc.property(answers(results, { errorInformation }), (answer) => {
      const read = readBatchResults(answer, parties)
      if (read === undefined) return
      for (const result of read.values()) expectResult(result)
      if (answer.status > 201) expect([...read.keys()]).toEqual(parties.map(partyKey))
    }),
    { numRuns },
  )
})
