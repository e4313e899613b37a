/** Reads of participants and their cover, with the names of the reference architecture. */
import { reservationModeValues } from '@causeway/protos'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { currency, cursor, pageSize, queryTime, word } from '../fields.ts'
import { reads, type Operation } from '../operation.ts'
import { limitBody } from '../participants/limits.ts'
import { participantBody } from '../participants/participants.ts'
import { shownAmount, shownFlag, shownTime } from '../shapes.ts'
import {
  findParticipant,
  refusedUpstream,
  unitsOf,
  unknownParticipant,
  type Deps,
} from '../upstream.ts'

const participantId = word.min(2).max(30)

const shownLimit = z
  .strictObject({ type: z.string(), value: shownAmount, alarmPercentage: shownAmount })
  .nullable()

const shownInfo = z.strictObject({
  name: z.string(),
  type: z.string(),
  state: z.string(),
  isActive: shownFlag,
  version: z.int(),
  created: shownTime,
  createdBy: z.string(),
  accounts: z.array(
    z.strictObject({
      id: z.int(),
      ledgerAccountType: z.string(),
      currency: z.string(),
      isActive: shownFlag,
      createdDate: shownTime,
      createdBy: z.string(),
      limit: shownLimit,
    }),
  ),
  endpoints: z.array(z.strictObject({ type: z.string(), value: z.string() })),
})

const shownCover = z.strictObject({
  participantId: z.string(),
  currency: z.string(),
  settlementBalance: shownAmount,
  liquidity: shownAmount,
  position: shownAmount,
  reserved: shownAmount,
  excluded: shownAmount,
  /** null before the first limit. */
  netDebitCap: shownAmount.nullable(),
  available: shownAmount.nullable(),
  withdrawable: shownAmount,
})

const shownHistory = z.strictObject({
  changes: z.array(
    z.strictObject({
      change: shownAmount,
      value: shownAmount,
      causeType: z.string(),
      causeId: z.string(),
      step: z.string(),
      at: shownTime,
    }),
  ),
  cursor: z.string().nullable(),
})

const shownReservation = z.strictObject({
  reservationId: z.int(),
  currency: z.string(),
  mode: z.enum(reservationModeValues),
  value: shownAmount,
  resolvedAmount: shownAmount,
  since: shownTime,
})

const historySearch = z.object({
  participantId,
  /** The history of its cover, unless an account is named. */
  currency: currency.optional(),
  accountId: pageSize(2 ** 31 - 1).optional(),
  from: queryTime.optional(),
  to: queryTime.optional(),
  cursor: cursor.optional(),
  limit: pageSize(1_000).optional(),
})

export function liquidityReads(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/GetParticipantInfo',
      {
        about: 'A participant with its state, accounts, limits and endpoints',
        query: z.object({ participantId }),
        answers: { 200: shownInfo },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ query }) => info(deps, query.participantId),
    ),
    reads(
      '/GetLiquidityCoverCurrentState',
      {
        about: "A consistent view of a participant's cover in a currency",
        query: z.object({ participantId, currency }),
        answers: { 200: shownCover },
        refuses: ['ACCOUNT_UNKNOWN'],
      },
      ({ query }) => coverOf(deps, query.participantId, query.currency),
    ),
    reads(
      '/GetLiquidityCoverHistory',
      {
        about: "The history of an account's balance, newest change first",
        query: historySearch,
        answers: { 200: shownHistory },
        refuses: ['ACCOUNT_UNKNOWN', 'PARTICIPANT_UNKNOWN', 'INVALID'],
      },
      ({ query }) => historyOf(deps, query),
    ),
    reads(
      '/GetReservations',
      {
        about: 'The parts of the cover that payments may not use',
        query: z.object({ participantId, currency: currency.optional() }),
        answers: { 200: z.array(shownReservation) },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ query }) => reservationsOf(deps, query.participantId, query.currency),
    ),
  ]
}

async function info(deps: Deps, name: string): Promise<OperationResult> {
  const participant = await findParticipant(deps, name)
  if (participant === undefined) return unknownParticipant(name)
  const { stateName: state, type, version, createdBy, endpoints } = participant
  const { created, isActive, accounts } = participantBody(deps, participant)
  const limits = new Map(participant.accounts.map(({ id, limit }) => [id, limit]))
  return answered(200, {
    name,
    type,
    state,
    isActive,
    version,
    created,
    createdBy,
    accounts: accounts.map((account) => {
      const limit = limits.get(account.id)
      return {
        ...account,
        limit: limit ? limitBody(limit) : null,
      }
    }),
    endpoints: endpoints.map((endpoint) => ({ ...endpoint })),
  })
}

async function coverOf(deps: Deps, name: string, of: string): Promise<OperationResult> {
  const { position, refusal } = await deps.liquidity.GetCurrentLiquidityPosition({
    name,
    currency: of,
  })
  if (refusal) return refusedUpstream(refusal)
  if (!position) throw new Error('a read of the cover had no answer')
  const amountOrNull = (text: string | undefined) => (text === undefined ? null : unitsOf(text))
  return answered(200, {
    participantId: position.name,
    currency: position.currency,
    settlementBalance: unitsOf(position.settlementBalance),
    liquidity: unitsOf(position.liquidity),
    position: unitsOf(position.position),
    reserved: unitsOf(position.reserved),
    excluded: unitsOf(position.excluded),
    netDebitCap: amountOrNull(position.netDebitCap),
    available: amountOrNull(position.available),
    withdrawable: unitsOf(position.withdrawable),
  })
}

async function historyOf(
  deps: Deps,
  search: z.infer<typeof historySearch>,
): Promise<OperationResult> {
  const { participantId: name, from, to, cursor: place, limit } = search
  const participant = await findParticipant(deps, name)
  if (participant === undefined) return unknownParticipant(name)
  const accountId =
    search.accountId ??
    participant.accounts.find(
      ({ ledgerAccountType, currency: of }) =>
        ledgerAccountType === 'SETTLEMENT' && (search.currency ?? of) === of,
    )?.id ??
    0
  const { page, refusal } = await deps.liquidity.RequestAccountPositionHistory({
    name,
    accountId,
    from,
    to,
    cursor: place,
    limit,
  })
  if (refusal) return refusedUpstream(refusal)
  if (!page) throw new Error('a read of the history had no answer')
  return answered(200, {
    changes: page.changes.map((one) => ({
      change: unitsOf(one.change),
      value: unitsOf(one.value),
      causeType: one.causeType ?? '',
      causeId: one.causeId,
      step: one.step,
      at: one.at,
    })),
    cursor: page.cursor ?? null,
  })
}

async function reservationsOf(
  deps: Deps,
  name: string,
  of: string | undefined,
): Promise<OperationResult> {
  const { reservations, refusal } = await deps.liquidity.RequestReservationAccounts({
    name,
    currency: of,
  })
  if (refusal) return refusedUpstream(refusal)
  return answered(
    200,
    (reservations?.reservations ?? []).map((one) => ({
      reservationId: one.reservationId,
      currency: one.currency,
      mode: one.mode,
      value: unitsOf(one.value),
      resolvedAmount: unitsOf(one.resolvedAmount),
      since: one.since,
    })),
  )
}
