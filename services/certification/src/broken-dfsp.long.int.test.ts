import { beforeAll, expect, test } from '@jest/globals'
import { brokenDfsps } from './testing/broken/dfsps.ts'
import { failuresOf } from './testing/caught.ts'

let failed: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  failed = await failuresOf(brokenDfsps)
}, 300_000)

test.each(brokenDfsps)(
  'An FSP that $does fails the cases about it, and no other of their subject',
  ({ does, caughtBy }) => {
    expect(failed.get(does)).toEqual(caughtBy)
  },
)
