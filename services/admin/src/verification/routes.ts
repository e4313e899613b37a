/** POST /verify: `npm run verify` calls it at a running hub. */
import { z } from 'zod'
import { answered } from '../answer.ts'
import { commands, type Operation } from '../operation.ts'
import type { Deps } from '../upstream.ts'
import { verify } from './verify.ts'

const report = z.strictObject({
  clean: z.boolean(),
  compared: z.strictObject({
    accounts: z.int(),
    entries: z.int(),
    transfers: z.int(),
    windows: z.int(),
    bulkTransfers: z.int(),
    consents: z.int(),
    verifications: z.int(),
    thirdPartyTransactions: z.int(),
  }),
  /** One sentence each. */
  differences: z.array(z.string()),
})

export function verificationOperations(deps: Deps): readonly Operation[] {
  return [
    commands(
      'POST',
      '/verify',
      {
        about:
          'Compares every account with its journal, transfers with the ledger, windows with the transfers in them, and consents and payments of PISPs with their signatures and messages',
        answers: { 200: report },
      },
      async () => answered(200, { ...(await verify(deps)) }),
    ),
  ]
}
