import { beforeAll, expect, test } from '@jest/globals'
import { brokenPayees } from './testing/broken/payees.ts'
import { failuresOf } from './testing/caught.ts'

let failed: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  failed = await failuresOf(brokenPayees)
}, 300_000)

test.each(brokenPayees)(
  'An FSP that $does fails the cases about it, and no other of their subject',
  ({ does, caughtBy }) => {
    expect(failed.get(does)).toEqual(caughtBy)
  },
)
