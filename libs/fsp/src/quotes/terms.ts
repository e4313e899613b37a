/**
 * The amounts and the packet of a quote: the payee FSP writes them, the payer FSP checks them.
 * FSPIOP 5.1, 6.5.
 */
import {
  amountToIlp,
  type ErrorInformation,
  errorInformation,
  type Party,
  payeeReceiveAmountOf,
  type PostQuotes,
  type PutQuotes,
  transferAmountOf,
  writeTransaction,
  writeDateTime,
} from '@causeway/fspiop'
import { parseAmount } from '@causeway/money'
import type { Amount } from '../amount.ts'
import { extensionListOf, type Extensions } from '../message.ts'
import { readPartyIdInfo, writePartyIdInfo } from '../parties/party.ts'
import { agree, quoteExpirationKey } from '../transfers/agreement.ts'

/** The payee FSP's fee and commission; zero where left out. */
export interface PayeeTerms {
  readonly payeeFspFee?: Amount
  /** The commission that the payee FSP pays to the payer FSP. */
  readonly payeeFspCommission?: Amount
  /** Extensions of the answer. */
  readonly extensions?: Extensions
}

export interface QuoteAnswer {
  readonly transferAmount: Amount
  readonly payeeReceiveAmount: Amount
  readonly payeeFspFee?: Amount
  readonly payeeFspCommission?: Amount
  readonly expiration: string
  readonly ilpPacket: string
  readonly condition: string
}

/** The body of PUT /quotes/{ID}, or why these terms are not possible. */
export function quoteAnswer(
  own: { readonly name: string; readonly secret: Buffer },
  payerFsp: string,
  request: PostQuotes,
  {
    payeeFspFee,
    payeeFspCommission,
    extensions,
    expiration,
  }: PayeeTerms & { readonly expiration: Date },
): QuoteAnswer | { readonly error: ErrorInformation } {
  if (amountToIlp(request.amount.amount, request.amount.currency) === undefined) {
    return { error: errorInformation('3100', '/amount: more decimals than the currency has') }
  }
  const { amountType, amount, fees } = request
  const transferAmount = transferAmountOf({
    amountType,
    amount,
    fees,
    payeeFspFee,
    payeeFspCommission,
  })
  const payeeReceiveAmount =
    transferAmount && payeeReceiveAmountOf(transferAmount, payeeFspFee, payeeFspCommission)
  if (transferAmount === undefined || payeeReceiveAmount === undefined) return noAmount
  if (parseAmount(transferAmount.amount) === 0n) return noAmount
  const agreement = agree(own.secret, {
    payeeFsp: own.name,
    amount: transferAmount,
    data: agreedData(request, { payerFsp, payeeFsp: own.name }, transferAmount, expiration),
  })
  if (agreement === undefined) return noAmount
  return {
    transferAmount,
    payeeReceiveAmount,
    ...(payeeFspFee === undefined ? {} : { payeeFspFee }),
    ...(payeeFspCommission === undefined ? {} : { payeeFspCommission }),
    expiration: writeDateTime(expiration),
    ...agreement,
    ...extensionListOf(extensions),
  }
}

const noAmount = { error: errorInformation('5103', 'the terms come to no amount') }

/** Names no persons: a packet is not encrypted, and other parties read it too. */
function agreedData(
  request: PostQuotes,
  { payerFsp, payeeFsp }: { readonly payerFsp: string; readonly payeeFsp: string },
  { currency, amount }: Amount,
  expiration: Date,
): Buffer {
  const { quoteId, transactionId, transactionRequestId, payee, payer, transactionType } = request
  return writeTransaction({
    transactionId,
    quoteId,
    ...(transactionRequestId === undefined ? {} : { transactionRequestId }),
    payee: partyAt(payeeFsp, payee),
    payer: partyAt(payerFsp, payer),
    amount: { currency, amount },
    transactionType,
    extensionList: {
      extension: [{ key: quoteExpirationKey, value: writeDateTime(expiration) }],
    },
  })
}

function partyAt(fspId: string, { partyIdInfo }: Party) {
  return { partyIdInfo: writePartyIdInfo({ ...readPartyIdInfo(partyIdInfo), fspId }) }
}

/** Why the payer FSP rejects this answer; undefined when it is correct. */
export function faultOfAnswer(
  asked: {
    readonly amountType: 'SEND' | 'RECEIVE'
    readonly amount: Amount
    readonly fees?: Amount
  },
  answer: PutQuotes,
  now: Date,
): ErrorInformation | undefined {
  const { transferAmount, payeeReceiveAmount, payeeFspFee, payeeFspCommission } = answer
  const expected = transferAmountOf({ ...asked, payeeFspFee, payeeFspCommission })
  if (!isSame(transferAmount, expected)) {
    return errorInformation('3100', '/transferAmount: does not match the terms')
  }
  const received = payeeReceiveAmountOf(transferAmount, payeeFspFee, payeeFspCommission)
  if (payeeReceiveAmount !== undefined && !isSame(payeeReceiveAmount, received)) {
    return errorInformation('3100', '/payeeReceiveAmount: does not match the terms')
  }
  return Date.parse(answer.expiration) <= now.getTime() ? errorInformation('3302') : undefined
}

/** An amount has exactly one written form. */
function isSame(one: Amount, other: Amount | undefined): boolean {
  return one.currency === other?.currency && one.amount === other.amount
}
