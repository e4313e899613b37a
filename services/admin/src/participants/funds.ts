/**
 * Funds: money received in the hub's bank for a participant becomes cover; money to be paid out is
 * reserved first, and committed or released in the second step. Each movement is posted before the
 * answer; the same id with the same content changes nothing.
 */
import { formatAmount } from '@causeway/money'
import {
  fundsMovementDirectionValues,
  fundsMovementStateValues,
  type FundsInstruction,
  type FundsMovement,
} from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { correlationId, cursor, extensionList, money, pageSize, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { shownAmount, shownTime } from '../shapes.ts'
import {
  findParticipant,
  refusedUpstream,
  unitsOf,
  unknownParticipant,
  type Deps,
} from '../upstream.ts'

const funds = z.strictObject({
  transferId: correlationId,
  externalReference: word,
  action: z.enum(['recordFundsIn', 'recordFundsOutPrepareReserve']),
  reason: word,
  amount: money,
  extensionList: extensionList.optional(),
})

const completion = z.strictObject({
  action: z.enum(['recordFundsOutCommit', 'recordFundsOutAbort']),
  reason: word,
})

const search = z.object({
  state: z.enum(fundsMovementStateValues).optional(),
  cursor: cursor.optional(),
  limit: pageSize(1_000).optional(),
})

const shownMovement = z
  .strictObject({
    transferId: z.string(),
    accountId: z.int(),
    direction: z.enum(fundsMovementDirectionValues),
    amount: shownAmount,
    currency: z.string(),
    state: z.enum(fundsMovementStateValues),
    /** Why it was not made. */
    stateReason: z.string().nullable(),
    externalReference: z.string(),
    reason: z.string(),
    createdDate: shownTime,
    expiryDate: shownTime.nullable(),
    completedDate: shownTime.nullable(),
  })
  .meta({ id: 'FundsMovement' })

const shownMovements = z.strictObject({
  movements: z.array(shownMovement),
  /** For the next page; null: there is none. */
  cursor: z.string().nullable(),
})

const unusable = [
  'PARTICIPANT_UNKNOWN',
  'ACCOUNT_UNKNOWN',
  'PARTICIPANT_INACTIVE',
  'ACCOUNT_INACTIVE',
  'ACCOUNT_TYPE_WRONG',
  'CURRENCY_MISMATCH',
  'HUB_ACCOUNTS_MISSING',
] as const

export function fundsOperations(deps: Deps): readonly Operation[] {
  const account = '/participants/:name/accounts/:id'
  return [
    writes(
      'POST',
      account,
      funds,
      {
        about:
          'Records funds in, or reserves funds out; insufficient cover shows in the state of the movement, not in the answer',
        answers: { 202: null },
        refuses: [...unusable, 'MODIFIED'],
      },
      ({ name, id, body, actor }) => recordFunds(deps, name, id, body, actor),
    ),
    writes(
      'PUT',
      `${account}/transfers/:transferId`,
      completion,
      {
        about: 'Commits reserved funds out after the bank has paid, or releases them',
        answers: { 202: null },
        refuses: [...unusable, 'FUNDS_UNKNOWN', 'FUNDS_STATE_WRONG', 'FUNDS_EXPIRED'],
      },
      ({ name, id, transferId, body, actor }) =>
        completeFunds(
          deps,
          { transferId, name, accountId: id, explanation: body.reason, actor },
          body,
        ),
    ),
    reads(
      '/participants/:name/funds',
      {
        about: "A participant's funds in and out, newest first",
        query: search,
        answers: { 200: shownMovements },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name, query }) => listFunds(deps, name, query),
    ),
  ]
}

/** Funds out beyond the cover get the usual answer: the movement has the reason. */
async function recordFunds(
  deps: Deps,
  name: string,
  accountId: number,
  body: z.infer<typeof funds>,
  actor: string,
): Promise<OperationResult> {
  const isIn = body.action === 'recordFundsIn'
  const instruction: FundsInstruction = {
    transferId: body.transferId,
    name,
    accountId,
    kind: isIn ? 'DEPOSIT' : 'WITHDRAWAL',
    amount: formatAmount(body.amount.amount),
    currency: body.amount.currency,
    externalReference: body.externalReference,
    explanation: body.reason,
    extensionList:
      body.extensionList === undefined
        ? undefined
        : Buffer.from(JSON.stringify(body.extensionList)),
    actor,
  }
  const { refusal } = isIn
    ? await deps.participants.ManageFundsCreditDebitPairInstruction(instruction)
    : await deps.funds.RecordFundsOutPrepareReserve(instruction)
  if (!refusal) return answered(202)
  const elsewhere =
    refusal.reason === 'ACCOUNT_UNKNOWN' && (await findAccount(deps, name, accountId))
  if (!elsewhere || elsewhere.currency === body.amount.currency) return refusedUpstream(refusal)
  return refused('CURRENCY_MISMATCH', `account ${accountId} is in ${elsewhere.currency}`)
}

/** The ledger returns only accounts in the requested currency. */
async function findAccount(deps: Deps, name: string, accountId: number) {
  const participant = await findParticipant(deps, name)
  return participant?.accounts.find(({ id }) => id === accountId)
}

async function completeFunds(
  { funds }: Deps,
  asked: Parameters<Deps['funds']['RecordFundsOutCommit']>[0],
  { action }: z.infer<typeof completion>,
): Promise<OperationResult> {
  const { refusal } =
    action === 'recordFundsOutCommit'
      ? await funds.RecordFundsOutCommit(asked)
      : await funds.RecordFundsOutAbort(asked)
  return refusal ? refusedUpstream(refusal) : answered(202)
}

async function listFunds(
  deps: Deps,
  name: string,
  query: z.infer<typeof search>,
): Promise<OperationResult> {
  if ((await findParticipant(deps, name)) === undefined) return unknownParticipant(name)
  const page = await deps.funds.ListFundsMovements({ name, ...query })
  return answered(200, {
    movements: page.movements.map(movementBody),
    cursor: page.cursor ?? null,
  })
}

function movementBody(movement: FundsMovement) {
  return {
    transferId: movement.transferId,
    accountId: movement.accountId,
    direction: movement.direction,
    amount: unitsOf(movement.amount),
    currency: movement.currency,
    state: movement.state,
    stateReason: movement.stateReason ?? null,
    externalReference: movement.externalReference ?? '',
    reason: movement.explanation ?? '',
    createdDate: movement.createdAt,
    expiryDate: movement.expiresAt ?? null,
    completedDate: movement.completedAt ?? null,
  } satisfies Json
}
