/** Limits: how much a participant may owe, and its initial position. */
import { formatAmount } from '@causeway/money'
import type { Account, Limit } from '@causeway/protos'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { currency, decimal, decimalFromZero, limitType, percentage } from '../fields.ts'
import type { Json } from '../json.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { shownAmount } from '../shapes.ts'
import {
  findParticipant,
  refusedUpstream,
  unitsOf,
  unknownParticipant,
  type Deps,
} from '../upstream.ts'

const limit = z.strictObject({
  type: limitType,
  value: decimalFromZero,
  alarmPercentage: percentage.optional(),
})

const change = z.strictObject({ currency, limit })

const beginning = z.strictObject({ currency, limit, initialPosition: decimal.optional() })

/** The type is the parameter `limit`, or `type` for Mojaloop's clients. */
const search = z.object({
  currency: currency.optional(),
  limit: z.string().optional().meta({ description: 'The type; NET_DEBIT_CAP is the only one.' }),
  type: z.string().optional().meta({ description: 'An alias; `limit` has precedence.' }),
})

type LimitSearch = z.infer<typeof search>

const shownLimit = z.strictObject({
  currency: z.string(),
  limit: z.strictObject({ type: z.string(), value: shownAmount, alarmPercentage: shownAmount }),
})

export function limitOperations(deps: Deps): readonly Operation[] {
  const path = '/participants/:name/limits'
  return [
    reads(
      '/participants/limits',
      {
        about: 'The limits in force: of active participants, on active position accounts',
        query: search,
        answers: { 200: z.array(shownLimit.extend({ name: z.string() })) },
      },
      ({ query }) => listAllLimits(deps, query),
    ),
    reads(
      path,
      {
        about: "A participant's limits on active position accounts",
        query: search,
        answers: { 200: z.array(shownLimit) },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name, query }) => listLimits(deps, name, query),
    ),
    writes(
      'PUT',
      path,
      change,
      {
        about: 'Changes a limit; an alarm percentage that is left out stays',
        answers: { 200: shownLimit },
        refuses: ['PARTICIPANT_UNKNOWN', 'ACCOUNT_UNKNOWN', 'LIMIT_UNKNOWN'],
      },
      ({ name, body, actor }) => changeLimit(deps, name, body, actor),
    ),
    writes(
      'POST',
      '/participants/:name/initialPositionAndLimits',
      beginning,
      {
        about: 'Sets the first limit and position of a currency and activates its accounts',
        answers: { 201: null },
        refuses: ['PARTICIPANT_UNKNOWN', 'ACCOUNT_UNKNOWN', 'LIMITS_EXIST'],
      },
      ({ name, body, actor }) => begin(deps, name, body, actor),
    ),
  ]
}

/** Limits that are in force: of active participants, on active position accounts. */
async function listAllLimits(deps: Deps, query: LimitSearch): Promise<OperationResult> {
  const { participants } = await deps.participants.GetParticipantInfo({ names: [] })
  const rows = participants
    .filter(({ isActive }) => isActive)
    .flatMap(({ name, accounts }) => limitRows(accounts, query).map((row) => ({ name, ...row })))
  return answered(200, rows)
}

async function listLimits(deps: Deps, name: string, query: LimitSearch): Promise<OperationResult> {
  const participant = await findParticipant(deps, name)
  if (participant === undefined) return unknownParticipant(name)
  return answered(200, limitRows(participant.accounts, query))
}

function limitRows(accounts: readonly Account[], query: LimitSearch) {
  const type = query.limit ?? query.type
  return accounts.flatMap((account) => {
    if (account.ledgerAccountType !== 'POSITION' || !account.isActive || !account.limit) return []
    if (query.currency !== undefined && account.currency !== query.currency) return []
    if (type !== undefined && account.limit.type !== type) return []
    return [{ currency: account.currency, limit: limitBody(account.limit) }]
  })
}

async function changeLimit(
  deps: Deps,
  name: string,
  { currency, limit }: z.infer<typeof change>,
  actor: string,
): Promise<OperationResult> {
  const asked = { name, currency, limit: limitMessage(limit), actor }
  const { limit: stored, refusal } = await deps.participants.UpdateParticipantAccountLimit(asked)
  if (refusal) return refusedUpstream(refusal)
  if (!stored) throw new Error('a limit was changed, but not returned')
  return answered(200, { currency, limit: limitBody(stored) })
}

async function begin(
  deps: Deps,
  name: string,
  { currency, limit, initialPosition = 0n }: z.infer<typeof beginning>,
  actor: string,
): Promise<OperationResult> {
  const { refusal } = await deps.participants.SetInitialPositionAndLimits({
    name,
    currency,
    limit: limitMessage(limit),
    initialPosition: formatAmount(initialPosition),
    actor,
  })
  return refusal ? refusedUpstream(refusal) : answered(201)
}

/** Without an alarm percentage the stored one stays; the first is 10. */
function limitMessage({ type, value, alarmPercentage }: z.infer<typeof limit>): Limit {
  return {
    type,
    value: formatAmount(value),
    alarmPercentage: alarmPercentage === undefined ? undefined : formatAmount(alarmPercentage),
  }
}

/** A stored limit has an alarm percentage. */
export function limitBody({ type, value, alarmPercentage = '0' }: Limit) {
  return { type, value: unitsOf(value), alarmPercentage: unitsOf(alarmPercentage) } satisfies Json
}
