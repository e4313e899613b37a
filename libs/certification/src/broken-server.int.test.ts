import { beforeAll, expect, test } from '@jest/globals'
import { forms } from './cases/forms.ts'
import { brokenServers } from './testing/broken/servers.ts'
import { caughtBy } from './testing/caught.ts'

let failed: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  failed = await caughtBy(forms, brokenServers)
}, 300_000)

test.each(brokenServers)(
  'An FSP that $does fails the cases about it, and no other',
  ({ does, caughtBy: ids }) => {
    expect(failed.get(does)).toEqual(ids)
  },
)
