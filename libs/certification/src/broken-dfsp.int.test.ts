import { beforeAll, expect, test } from '@jest/globals'
import { cases } from './cases/index.ts'
import { brokenDfsps } from './testing/broken/dfsps.ts'
import { caughtBy } from './testing/caught.ts'

const group = cases.filter(({ role }) => role === 'dfsp')

let failed: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  failed = await caughtBy(group, brokenDfsps)
}, 300_000)

test.each(brokenDfsps)(
  'An FSP that $does fails the cases about it, and no other',
  ({ does, caughtBy: ids }) => {
    expect(failed.get(does)).toEqual(ids)
  },
)
