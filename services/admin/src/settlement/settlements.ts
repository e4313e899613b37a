/**
 * Settlements: the nets of the participants of closed windows under one model, settled step by
 * step. Each account steps by itself; a refused step is shown with its account.
 */
import { settlementStateValues, type AccountUpdate, type Settlement } from '@causeway/protos'
import { z } from 'zod'
import { answered, page, refused, type OperationResult } from '../answer.ts'
import { currency, goesOn, pageSize, queryNumber, queryTime, wholeNumber, word } from '../fields.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { refusedUpstream, longDeadline, type Deps } from '../upstream.ts'
import { accountStates, settlementBody, shownSettlement } from './shown.ts'

const windows_max = 1_000
const accounts_max = 10_000

const search = z.object({
  currency: currency.optional(),
  participantId: queryNumber.optional(),
  settlementWindowId: queryNumber.optional(),
  accountId: queryNumber.optional(),
  state: z.enum(settlementStateValues).optional(),
  fromDateTime: queryTime.optional(),
  toDateTime: queryTime.optional(),
  fromSettlementWindowDateTime: queryTime.optional(),
  toSettlementWindowDateTime: queryTime.optional(),
  cursor: queryNumber.optional(),
  limit: pageSize(1_000).optional(),
})

const id = wholeNumber(1, 2 ** 31 - 1)

const creation = z.strictObject({
  settlementModel: word,
  reason: word,
  settlementWindows: z.array(z.strictObject({ id })).min(1).max(windows_max),
})

const step = z.strictObject({
  state: z.enum(accountStates),
  reason: word,
  /** The bank's. */
  externalReference: word.optional(),
})

const steps = z.array(step.extend({ id })).min(1).max(accounts_max)

const participantChange = z.strictObject({ accounts: steps })

/** Either the accounts of participants, or the whole settlement. */
const change = z.strictObject({
  participants: z
    .array(z.strictObject({ id, accounts: steps }))
    .min(1)
    .max(accounts_max)
    .optional(),
  state: z.literal('ABORTED').optional(),
  reason: word.optional(),
  externalReference: word.optional(),
})

const refusesSteps = ['SETTLEMENT_UNKNOWN', 'STATE_WRONG', 'LEDGER_REFUSED'] as const
const refusesNarrow = ['SETTLEMENT_UNKNOWN', 'SETTLEMENT_ACCOUNT_UNKNOWN'] as const

export function settlementOperations(deps: Deps): readonly Operation[] {
  return [...wholeOperations(deps), ...narrowOperations(deps)]
}

function wholeOperations(deps: Deps): readonly Operation[] {
  const answers = { 200: shownSettlement }
  return [
    reads(
      '/v2/settlements',
      {
        about: `Settlements, newest first; at least one filter must be given. ${goesOn}`,
        query: search,
        answers: { 200: z.array(shownSettlement) },
      },
      ({ query }) => listSettlements(deps, query),
    ),
    writes(
      'POST',
      '/v2/settlements',
      creation,
      {
        about: 'Begins the settlement of closed windows under a model',
        answers,
        refuses: [
          'MODEL_MISSING',
          'MODEL_INACTIVE',
          'MODEL_SETTLES_AT_ONCE',
          'WINDOW_MISSING',
          'WINDOW_NOT_APPLICABLE',
        ],
      },
      ({ body, actor, newId }) => createSettlement(deps, body, newId, actor),
    ),
    reads(
      '/v2/settlements/:id',
      { about: 'A settlement', answers, refuses: ['SETTLEMENT_UNKNOWN'] },
      ({ id }) => showSettlement(deps, id, () => true),
    ),
    writes(
      'PUT',
      '/v2/settlements/:id',
      change,
      {
        about:
          'Steps accounts of a settlement, each by itself, or aborts the settlement; shows the named accounts',
        answers,
        refuses: refusesSteps,
      },
      ({ id, body, actor }) => changeSettlement(deps, id, body, actor),
    ),
  ]
}

function narrowOperations(deps: Deps): readonly Operation[] {
  const answers = { 200: shownSettlement }
  const participant = '/v2/settlements/:settlementId/participants/:participantId'
  const account = `${participant}/accounts/:accountId` as const
  const refuses = refusesNarrow
  const changes = [...refusesNarrow, 'STATE_WRONG', 'LEDGER_REFUSED'] as const
  return [
    reads(
      participant,
      { about: 'A settlement, with one participant', answers, refuses },
      ({ settlementId, participantId }) =>
        showSettlement(deps, settlementId, (account) => account.participantId === participantId),
    ),
    writes(
      'PUT',
      participant,
      participantChange,
      { about: 'Steps accounts of one participant', answers, refuses: changes },
      async ({ settlementId, participantId, body, actor }) =>
        (await unknownIn(
          deps,
          settlementId,
          (account) => account.participantId === participantId,
        )) ?? stepAccounts(deps, settlementId, updatesOf(participantId, body.accounts), actor),
    ),
    reads(
      account,
      { about: 'A settlement, with one account', answers, refuses },
      ({ settlementId, participantId, accountId }) =>
        showSettlement(deps, settlementId, isAccount(participantId, accountId)),
    ),
    writes(
      'PUT',
      account,
      step,
      { about: 'Steps one account', answers, refuses: changes },
      async ({ settlementId, participantId, accountId, body, actor }) =>
        (await unknownIn(deps, settlementId, isAccount(participantId, accountId))) ??
        stepAccounts(
          deps,
          settlementId,
          updatesOf(participantId, [{ ...body, id: accountId }]),
          actor,
        ),
    ),
  ]
}

type Selection = (account: Settlement['accounts'][number]) => boolean

function isAccount(participantId: number, accountId: number): Selection {
  return (account) => account.participantId === participantId && account.accountId === accountId
}

async function listSettlements(
  deps: Deps,
  query: z.infer<typeof search>,
): Promise<OperationResult> {
  const { cursor, limit, ...filters } = query
  if (Object.keys(filters).length === 0) return refused('INVALID', 'no filter was given')
  const { settlements, nextBeforeId } = await deps.settlements.ListSettlements({
    currency: query.currency,
    participantId: query.participantId,
    windowId: query.settlementWindowId,
    accountId: query.accountId,
    state: query.state,
    from: query.fromDateTime,
    to: query.toDateTime,
    windowFrom: query.fromSettlementWindowDateTime,
    windowTo: query.toSettlementWindowDateTime,
    beforeId: cursor,
    limit,
  })
  return page(
    settlements.map((settlement) => settlementBody(settlement)),
    nextBeforeId === undefined ? '' : String(nextBeforeId),
  )
}

/** An unknown model or window is an invalid request here, not 404. */
async function createSettlement(
  deps: Deps,
  body: z.infer<typeof creation>,
  requestId: string,
  actor: string,
): Promise<OperationResult> {
  const windowIds = body.settlementWindows.map(({ id }) => id)
  if (new Set(windowIds).size < windowIds.length) {
    return refused('INVALID', 'a window is named more than once')
  }
  const asked = {
    requestId,
    model: body.settlementModel,
    explanation: body.reason,
    windowIds,
    actor,
  }
  const { settlement, refusal } = await deps.settlements.CreateSettlement(asked, longDeadline)
  if (refusal?.reason === 'MODEL_UNKNOWN') return refused('MODEL_MISSING', refusal.detail)
  if (refusal?.reason === 'WINDOW_UNKNOWN') return refused('WINDOW_MISSING', refusal.detail)
  if (refusal) return refusedUpstream(refusal)
  if (!settlement) throw new Error('a settlement was begun, but not returned')
  return answered(200, settlementBody(settlement))
}

async function showSettlement(
  deps: Deps,
  id: number,
  selects: Selection,
): Promise<OperationResult> {
  const { settlement, refusal } = await deps.settlements.GetSettlement({ id })
  if (refusal) return refusedUpstream(refusal)
  if (!settlement) throw new Error('a settlement was answered with neither record nor refusal')
  const accounts = settlement.accounts.filter(selects)
  if (accounts.length === 0 && settlement.accounts.length > 0) {
    return refused('SETTLEMENT_ACCOUNT_UNKNOWN', `settlement ${id} has no such account`)
  }
  return answered(200, settlementBody(settlement, accounts))
}

/** undefined: the settlement has it. */
async function unknownIn(
  deps: Deps,
  id: number,
  selects: Selection,
): Promise<OperationResult | undefined> {
  const shown = await showSettlement(deps, id, selects)
  return shown.outcome === 'refused' ? shown : undefined
}

async function changeSettlement(
  deps: Deps,
  settlementId: number,
  { participants, state, reason, externalReference }: z.infer<typeof change>,
  actor: string,
): Promise<OperationResult> {
  if (participants !== undefined) {
    if (state !== undefined || reason !== undefined || externalReference !== undefined) {
      return refused('INVALID', 'participants and state exclude each other')
    }
    const updates = participants.flatMap(({ id, accounts }) => updatesOf(id, accounts))
    if (updates.length > accounts_max)
      return refused('TOO_MANY', `at most ${accounts_max} accounts`)
    return stepAccounts(deps, settlementId, updates, actor)
  }
  if (state === undefined) return refused('MISSING', 'participants or state')
  if (reason === undefined) return refused('MISSING', 'reason')
  const asked = { settlementId, explanation: reason, externalReference, actor }
  const { settlement, refusal } = await deps.settlements.AbortSettlement(asked, longDeadline)
  if (refusal) return refusedUpstream(refusal)
  if (!settlement) throw new Error('a settlement was aborted, but not returned')
  return answered(200, settlementBody(settlement))
}

/** Shows the named accounts. */
async function stepAccounts(
  deps: Deps,
  settlementId: number,
  accounts: AccountUpdate[],
  actor: string,
): Promise<OperationResult> {
  const asked = { settlementId, accounts, actor }
  const { settlement, refusal } = await deps.settlements.UpdateSettlementAccounts(
    asked,
    longDeadline,
  )
  if (refusal) return refusedUpstream(refusal)
  if (!settlement) throw new Error('accounts were stepped, but the settlement was not returned')
  const named = settlement.accounts.filter(({ isUpdated, fault }) => isUpdated || fault)
  return answered(200, settlementBody(settlement, named))
}

function updatesOf(participantId: number, accounts: z.infer<typeof steps>): AccountUpdate[] {
  return accounts.map(({ id, state, reason: explanation, externalReference }) => ({
    participantId,
    accountId: id,
    state,
    explanation,
    externalReference,
  }))
}
