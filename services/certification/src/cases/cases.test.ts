import { expect, test } from '@jest/globals'
import { brokenDfsps } from '../testing/broken/dfsps.ts'
import { brokenPayees } from '../testing/broken/payees.ts'
import { brokenPayers } from '../testing/broken/payers.ts'
import { brokenPisps } from '../testing/broken/pisps.ts'
import { brokenServers } from '../testing/broken/servers.ts'
import { cases } from './index.ts'

test('Each case has an id of its own, and names a section of a specification', () => {
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
  expect(
    cases.filter(({ section }) => !/^(FSPIOP|Signature|Encryption|Third-Party:) ?\S/.test(section)),
  ).toEqual([])
})

test('For each case there is an FSP that breaks its rule', () => {
  const all = [brokenPayers, brokenPayees, brokenServers, brokenDfsps, brokenPisps].flat()
  const caught = new Set(all.flatMap(({ caughtBy }) => caughtBy))
  expect(cases.flatMap(({ id }) => (caught.has(id) ? [] : [id]))).toEqual([])
})
