/** Accounts with their balances, positions, and the accounts of the hub itself. */
import type { AccountBalance } from '@causeway/protos'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { currency, flag, hubAccountType } from '../fields.ts'
import type { Json } from '../json.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { createdStatus, flagBody, participantAnswer, shownParticipant } from './participants.ts'
import { shownAmount, shownFlag, shownTime } from '../shapes.ts'
import { findParticipant, refusedUpstream, unitsOf, type Deps } from '../upstream.ts'

const creation = z.strictObject({ currency, type: hubAccountType })
const status = z.strictObject({ isActive: flag })

const search = z.object({ currency: currency.optional() })

const shownPosition = z.strictObject({
  currency: z.string(),
  value: shownAmount,
  changedDate: shownTime,
})

const shownAccount = z
  .strictObject({
    id: z.int(),
    ledgerAccountType: z.string(),
    currency: z.string(),
    isActive: shownFlag,
    value: shownAmount,
    reservedValue: shownAmount.meta({ description: 'The part of value that is reserved' }),
    changedDate: shownTime,
  })
  .meta({ id: 'Account' })

export function accountOperations(deps: Deps): readonly Operation[] {
  const path = '/participants/:name/accounts'
  return [
    reads(
      '/participants/:name/positions',
      {
        about: 'The positions of an active participant on its active position accounts',
        query: search,
        answers: { 200: z.union([z.array(shownPosition), shownPosition, z.strictObject({})]) },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name, query }) => listPositions(deps, name, query.currency),
    ),
    reads(
      path,
      {
        about: "A participant's accounts with their balances, inactive ones too",
        query: search,
        answers: { 200: z.array(shownAccount) },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name, query }) => listAccounts(deps, name, query.currency),
    ),
    writes(
      'POST',
      path,
      creation,
      {
        about: 'Opens an active account of the hub',
        answers: { [createdStatus(deps)]: shownParticipant },
        refuses: ['PARTICIPANT_UNKNOWN', 'NOT_HUB', 'ACCOUNT_TYPE_UNKNOWN', 'ACCOUNT_EXISTS'],
      },
      ({ name, body, actor }) => createHubAccount(deps, name, body, actor),
    ),
    writes(
      'PUT',
      `${path}/:id`,
      status,
      {
        about: 'Activates or deactivates an account; amounts reserved on it still complete',
        answers: { 200: null },
        refuses: ['PARTICIPANT_UNKNOWN', 'ACCOUNT_UNKNOWN'],
      },
      ({ name, id, body, actor }) => changeStatus(deps, name, id, body.isActive, actor),
    ),
  ]
}

/**
 * Only for an active participant and active accounts. With COMPATIBILITY=mojaloop a currency is
 * answered with one object.
 */
async function listPositions(
  deps: Deps,
  name: string,
  currency: string | undefined,
): Promise<OperationResult> {
  const read = await readBalances(deps, name, currency)
  if (read.outcome === 'refused') return read
  const positions = read.accounts
    .filter(() => read.participantIsActive)
    .filter(({ ledgerAccountType, isActive }) => ledgerAccountType === 'POSITION' && isActive)
    .map(({ currency, value, changedAt }) => ({
      currency,
      value: unitsOf(value),
      changedDate: changedAt,
    }))
  const single = currency !== undefined && deps.settings.COMPATIBILITY === 'mojaloop'
  return answered(200, single ? (positions[0] ?? {}) : positions)
}

/**
 * Every account; with COMPATIBILITY=mojaloop only those with a balance row, so none before the
 * first limit, and nothing is shown as reserved: scripts for such hubs always read 0.
 */
async function listAccounts(
  deps: Deps,
  name: string,
  currency: string | undefined,
): Promise<OperationResult> {
  const read = await readBalances(deps, name, currency)
  if (read.outcome === 'refused') return read
  if (deps.settings.COMPATIBILITY !== 'mojaloop') {
    return answered(200, read.accounts.map(accountBody))
  }
  const participant = await findParticipant(deps, name)
  const begun = new Set(
    participant?.accounts.filter(({ limit }) => limit).map(({ currency }) => currency),
  )
  const rows = read.accounts.filter(
    ({ ledgerAccountType, currency }) =>
      ledgerAccountType.startsWith('HUB_') || begun.has(currency),
  )
  return answered(
    200,
    rows.map((account) => accountBody({ ...account, reservedValue: '0' })),
  )
}

async function readBalances(deps: Deps, name: string, currency?: string) {
  const answer = await deps.participants.RequestAccountsPositions({ name, currency })
  if (answer.refusal) return refusedUpstream(answer.refusal)
  if (!answer.balances) throw new Error('accounts were answered with neither list nor refusal')
  return { outcome: 'read', ...answer.balances } as const
}

async function createHubAccount(
  deps: Deps,
  name: string,
  { currency, type }: z.infer<typeof creation>,
  actor: string,
): Promise<OperationResult> {
  const created = await deps.participants.CreateHubAccount({
    name,
    currency,
    ledgerAccountType: type,
    createdBy: actor,
  })
  return participantAnswer(deps, created, createdStatus(deps))
}

async function changeStatus(
  deps: Deps,
  name: string,
  accountId: number,
  isActive: boolean,
  actor: string,
): Promise<OperationResult> {
  const { refusal } = await deps.participants.UpdateAccountStatus({
    name,
    accountId,
    isActive,
    actor,
  })
  return refusal ? refusedUpstream(refusal) : answered(200)
}

function accountBody(account: AccountBalance) {
  return {
    id: account.id,
    ledgerAccountType: account.ledgerAccountType,
    currency: account.currency,
    isActive: flagBody(account.isActive),
    value: unitsOf(account.value),
    reservedValue: unitsOf(account.reservedValue),
    changedDate: account.changedAt,
  } satisfies Json
}
