import { beforeAll, expect, test } from '@jest/globals'
import { cases } from './cases/index.ts'
import { brokenPayers } from './testing/broken/payers.ts'
import { caughtBy } from './testing/caught.ts'

const group = cases.filter(({ role }) => role === 'payer')

let failed: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  failed = await caughtBy(group, brokenPayers)
}, 300_000)

test.each(brokenPayers)(
  'An FSP that $does fails the cases about it, and no other',
  ({ does, caughtBy: ids }) => {
    expect(failed.get(does)).toEqual(ids)
  },
)
