import { beforeAll, expect, test } from '@jest/globals'
import { brokenServers } from './testing/broken/servers.ts'
import { failuresOf } from './testing/caught.ts'

let failed: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  failed = await failuresOf(brokenServers)
}, 300_000)

test.each(brokenServers)(
  'An FSP that $does fails the cases about it, and no other of their subject',
  ({ does, caughtBy }) => {
    expect(failed.get(does)).toEqual(caughtBy)
  },
)
