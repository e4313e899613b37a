/**
 * Funds: money that arrived in the hub's bank for a participant becomes cover. The movement is posted
 * before the answer; the same id again with the same content changes nothing.
 */
import { formatAmount } from '@causeway/money'
import { z } from 'zod'
import { answered, refused, type Answer } from './answer.ts'
import { extensionList, money, transferId, word } from './fields.ts'
import { writes, type Operation } from './operation.ts'
import { findParticipant, passedOn, type Deps } from './upstream.ts'

const funds = z.strictObject({
  transferId,
  externalReference: word,
  action: z.enum(['recordFundsIn', 'recordFundsOutPrepareReserve']),
  reason: word,
  amount: money,
  extensionList: extensionList.optional(),
})

export function fundsOperations(deps: Deps): readonly Operation[] {
  return [
    writes('POST', '/participants/:name/accounts/:id', funds, ({ name, id, body }) =>
      recordFunds(deps, name, id, body),
    ),
  ]
}

async function recordFunds(
  deps: Deps,
  name: string,
  accountId: number,
  body: z.infer<typeof funds>,
): Promise<Answer> {
  if (body.action === 'recordFundsOutPrepareReserve') {
    return refused('NOT_BUILT', 'funds cannot be taken out yet')
  }
  const { refusal } = await deps.participants.ManageFundsCreditDebitPairInstruction({
    transferId: body.transferId,
    name,
    accountId,
    kind: 'DEPOSIT',
    amount: formatAmount(body.amount.amount),
    currency: body.amount.currency,
    externalReference: body.externalReference,
    reason: body.reason,
    extensionList: Buffer.from(
      body.extensionList === undefined ? '' : JSON.stringify(body.extensionList),
    ),
  })
  if (!refusal) return answered(202)
  const elsewhere =
    refusal.reason === 'ACCOUNT_UNKNOWN' && (await findAccount(deps, name, accountId))
  if (!elsewhere) return passedOn(refusal)
  return refused('CURRENCY_MISMATCH', `account ${accountId} is in ${elsewhere.currency}`)
}

/** The ledger sees only the accounts in the currency that it is asked for. */
async function findAccount(deps: Deps, name: string, accountId: number) {
  const participant = await findParticipant(deps, name)
  return participant?.accounts.find(({ id }) => id === accountId)
}
