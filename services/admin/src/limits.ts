/** Limits: how much a participant may owe the scheme, and the position that it begins with. */
import { formatAmount } from '@causeway/money'
import type { Account, Limit } from '@causeway/protos'
import { z } from 'zod'
import { answered, type Answer } from './answer.ts'
import { currency, decimal, decimalFromZero, limitType, percentage, type Query } from './fields.ts'
import type { Json } from './json.ts'
import { reads, writes, type Operation } from './operation.ts'
import { findParticipant, passedOn, unitsOf, unknownParticipant, type Deps } from './upstream.ts'

const limit = z.strictObject({
  type: limitType,
  value: decimalFromZero,
  alarmPercentage: percentage.optional(),
})

const change = z.strictObject({ currency, limit })

const beginning = z.strictObject({ currency, limit, initialPosition: decimal.optional() })

export function limitOperations(deps: Deps): readonly Operation[] {
  const path = '/participants/:name/limits'
  return [
    reads('/participants/limits', ({ query }) => listAllLimits(deps, query)),
    reads(path, ({ name, query }) => listLimits(deps, name, query)),
    writes('PUT', path, change, ({ name, body }) => changeLimit(deps, name, body)),
    writes('POST', '/participants/:name/initialPositionAndLimits', beginning, ({ name, body }) =>
      begin(deps, name, body),
    ),
  ]
}

/** Limits that are in force: of active participants, on active position accounts. */
async function listAllLimits(deps: Deps, query: Query): Promise<Answer> {
  const { participants } = await deps.participants.GetParticipantInfo({ names: [] })
  const rows = participants
    .filter(({ isActive }) => isActive)
    .flatMap(({ name, accounts }) => limitRows(accounts, query).map((row) => ({ name, ...row })))
  return answered(200, rows)
}

async function listLimits(deps: Deps, name: string, query: Query): Promise<Answer> {
  const participant = await findParticipant(deps, name)
  if (participant === undefined) return unknownParticipant(name)
  return answered(200, limitRows(participant.accounts, query))
}

/** The type is asked for as `limit`, and by Mojaloop's clients as `type`. */
function limitRows(accounts: readonly Account[], query: Query) {
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
): Promise<Answer> {
  const asked = { name, currency, limit: limitMessage(limit) }
  const { limit: stored, refusal } = await deps.participants.UpdateParticipantAccountLimit(asked)
  if (refusal) return passedOn(refusal)
  if (!stored) throw new Error('a limit was changed without saying to what')
  return answered(200, { currency, limit: limitBody(stored) })
}

async function begin(
  deps: Deps,
  name: string,
  { currency, limit, initialPosition = 0n }: z.infer<typeof beginning>,
): Promise<Answer> {
  const { refusal } = await deps.participants.SetInitialPositionAndLimits({
    name,
    currency,
    limit: limitMessage(limit),
    initialPosition: formatAmount(initialPosition),
  })
  return refusal ? passedOn(refusal) : answered(201)
}

/** An empty alarm percentage leaves the stored one as it is, and begins with 10. */
function limitMessage({ type, value, alarmPercentage }: z.infer<typeof limit>): Limit {
  return {
    type,
    value: formatAmount(value),
    alarmPercentage: alarmPercentage === undefined ? '' : formatAmount(alarmPercentage),
  }
}

function limitBody({ type, value, alarmPercentage }: Limit) {
  return { type, value: unitsOf(value), alarmPercentage: unitsOf(alarmPercentage) } satisfies Json
}
