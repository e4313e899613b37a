/** The body of the transactions resource: the state of a transaction, from the payee FSP. FSPIOP 6.8. */
import { z } from 'zod'
import { extensionList } from '../bodies/complex.ts'
import { code, dateTime } from '../bodies/elements.ts'
import { transactionState } from '../bodies/enumerations.ts'

/** PUT /transactions/{ID}; `code` is a voucher or a token for the payer. */
export const putTransactions = z.compile(
  z.looseObject({
    completedTimestamp: dateTime.optional(),
    transactionState,
    code: code.optional(),
    extensionList: extensionList.optional(),
  }),
)

export type PutTransactions = z.infer<typeof putTransactions>
