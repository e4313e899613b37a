import { beforeAll, expect, test } from '@jest/globals'
import { cases } from './cases/index.ts'
import { brokenPisps } from './testing/broken/pisps.ts'
import { caughtBy } from './testing/caught.ts'

const group = cases.filter(({ role }) => role === 'pisp')

let failed: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  failed = await caughtBy(group, brokenPisps)
}, 300_000)

test.each(brokenPisps)(
  'An FSP that $does fails the cases about it, and no other',
  ({ does, caughtBy: ids }) => {
    expect(failed.get(does)).toEqual(ids)
  },
)
