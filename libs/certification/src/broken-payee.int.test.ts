import { beforeAll, expect, test } from '@jest/globals'
import { cases } from './cases/index.ts'
import { forms } from './cases/forms.ts'
import { brokenPayees } from './testing/broken/payees.ts'
import { caughtBy } from './testing/caught.ts'

const group = cases.filter((each) => each.role === 'payee' && !forms.includes(each))

let failed: ReadonlyMap<string, readonly string[]>

beforeAll(async () => {
  failed = await caughtBy(group, brokenPayees)
}, 300_000)

test.each(brokenPayees)(
  'An FSP that $does fails the cases about it, and no other',
  ({ does, caughtBy: ids }) => {
    expect(failed.get(does)).toEqual(ids)
  },
)
