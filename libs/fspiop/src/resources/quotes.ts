/** The bodies of the quotes resource. The hub relays them and computes nothing. FSPIOP 6.5. */
import { z } from 'zod'
import { extensionList, geoCode, money, party, transactionType } from '../bodies/complex.ts'
import { correlationId, dateTime, ilpCondition, ilpPacket, note } from '../bodies/elements.ts'
import { amountType } from '../bodies/enumerations.ts'

/** POST /quotes, from the payer FSP; `fees` are those of the payer FSP. */
export const postQuotes = z.compile(
  z.looseObject({
    quoteId: correlationId,
    transactionId: correlationId,
    transactionRequestId: correlationId.optional(),
    payee: party,
    payer: party,
    amountType,
    amount: money,
    fees: money.optional(),
    transactionType,
    geoCode: geoCode.optional(),
    note: note.optional(),
    expiration: dateTime.optional(),
    extensionList: extensionList.optional(),
  }),
)

/** PUT /quotes/{ID}, from the payee FSP. */
export const putQuotes = z.compile(
  z.looseObject({
    transferAmount: money,
    payeeReceiveAmount: money.optional(),
    payeeFspFee: money.optional(),
    payeeFspCommission: money.optional(),
    expiration: dateTime,
    geoCode: geoCode.optional(),
    ilpPacket,
    condition: ilpCondition,
    extensionList: extensionList.optional(),
  }),
)

export type PostQuotes = z.infer<typeof postQuotes>
export type PutQuotes = z.infer<typeof putQuotes>
