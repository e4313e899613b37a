/** The methods of the liquidity service. */
import { recordedActor } from '@causeway/process'
import { boundedPage, isId, type Members, readCursor, writeCursor } from '@causeway/records'
import { isRefused, refusalMessage, refuse, unknownParticipant } from '@causeway/services'
import type { Handlers } from '@causeway/grpc'
import { formatAmount, parseDecimal } from '@causeway/money'
import type { Database } from '@causeway/postgres'
import {
  reservationModeValues,
  type liquidityService,
  type LiquidityPosition,
  type LiquidityReservation,
} from '@causeway/protos'
import { excludedOf, stillToPay, valueOf, whole } from '../domain/account.ts'
import { type RefusedChange } from '../domain/refusal.ts'
import {
  availableOf,
  withdrawableOf,
  type CoverReservation,
  type Liquidity,
} from './domain/cover.ts'
import { recordCover, type CoverParts } from './handle.ts'
import { historyOf, type HistoryCursor } from './history.ts'
import { hasParticipant, liquidityOf, reservationsOf } from './store.ts'

type LiquidityHandlers = Handlers<typeof liquidityService>

export function serveLiquidity(database: Database, parts: CoverParts): LiquidityHandlers {
  return {
    GetCurrentLiquidityPosition: async ({ name, currency }) => {
      const liquidity = await liquidityOf(database, name, currency)
      return liquidity === undefined
        ? { refusal: refusalMessage(unknownCover(name, currency)) }
        : { position: positionMessage(name, liquidity) }
    },
    RecordLiquidityReservationEntries: async (message) => {
      const command = coverOfMessage(message)
      if (isRefused(command)) return { refusal: refusalMessage(command) }
      const by = { actor: message.actor, action: 'RecordLiquidityReservationEntries' }
      const outcome = await recordCover(parts, command, by)
      if (outcome.type === 'REFUSE') return { refusal: refusalMessage(outcome) }
      const { reservationId, resolved } = outcome
      const after = await liquidityOf(database, command.participant, command.currency)
      const available = after && availableOf(after)
      return {
        recorded: {
          reservationId,
          resolvedAmount: formatAmount(resolved),
          available: amountOf(available),
        },
      }
    },
    RequestReservationAccounts: async ({ name, currency }) => {
      if (!(await hasParticipant(database, name))) {
        return { refusal: refusalMessage(unknownParticipant(name)) }
      }
      const reservations = await reservationsOf(database, name, currency)
      return {
        reservations: {
          reservations: reservations.map((one) => ({
            reservationId: one.id,
            currency: one.currency,
            mode: one.mode,
            value: formatAmount(one.value),
            resolvedAmount: formatAmount(one.resolved),
            since: one.createdAt.toISOString(),
          })),
        },
      }
    },
    ...historyHandlers(database),
  }
}

function historyHandlers(
  database: Database,
): Pick<LiquidityHandlers, 'RequestAccountPositionHistory'> {
  return {
    RequestAccountPositionHistory: async ({ name, accountId, from, to, cursor, limit }) => {
      const [first, last] = [from, to].map(timeOf)
      if (first === undefined || last === undefined) {
        return { refusal: refusalMessage(refuse('INVALID', 'from and to are times')) }
      }
      const history = await historyOf(database, {
        accountId,
        name,
        from: first,
        to: last,
        cursor: readCursor<HistoryCursor>(cursor, cursorMembers),
        limit: boundedPage(limit),
      })
      if (history === undefined) {
        return { refusal: refusalMessage(refuse('ACCOUNT_UNKNOWN', `no account ${accountId}`)) }
      }
      return {
        page: {
          changes: history.changes.map((one) => ({
            change: formatAmount(one.change),
            value: formatAmount(one.value),
            causeType: one.causeType,
            causeId: one.entryId,
            step: one.step,
            at: one.at.toISOString(),
          })),
          cursor: history.cursor === null ? undefined : writeCursor(history.cursor),
          value: formatAmount(history.value),
        },
      }
    },
  }
}

const cursorMembers: Members<HistoryCursor> = {
  batch: (text) => /^\d{1,18}$/.test(text),
  entryId: isId,
  rank: (text) => /^\d$/.test(text),
  value: (text) => /^-?\d{1,40}$/.test(text),
}

/** Null when there is none; undefined when it is not a time between the years 1970 and 9999. */
function timeOf(text: string | undefined): string | null | undefined {
  if (text === undefined) return null
  const time = new Date(text)
  const year = time.getUTCFullYear()
  return year >= 1970 && year <= 9999 ? time.toISOString() : undefined
}

function unknownCover(name: string, currency: string): RefusedChange {
  return refuse('ACCOUNT_UNKNOWN', `${name} has no account that covers positions in ${currency}`)
}

function coverOfMessage(message: LiquidityReservation): CoverReservation | RefusedChange {
  const { requestId, name: participant, currency, mode, actor: createdBy } = message
  const value = parseDecimal(message.value)
  if (requestId === '' || requestId.length > 64) {
    return refuse('INVALID', 'requestId has 1 to 64 characters')
  }
  if (!reservationModeValues.includes(mode)) {
    return refuse('INVALID', 'mode is AMOUNT or PERCENT')
  }
  if (value === undefined || value < 0n) return refuse('INVALID', 'value is at least 0')
  if (mode === 'PERCENT' && value > whole) return refuse('INVALID', 'value is at most 100 percent')
  return { requestId, participant, currency, mode, value, createdBy: recordedActor(createdBy) }
}

function positionMessage(name: string, liquidity: Liquidity): LiquidityPosition {
  const { settlement, position } = liquidity
  const available = availableOf(liquidity)
  const balance = valueOf(settlement)
  return {
    name,
    currency: settlement.currency,
    settlementBalance: formatAmount(balance),
    liquidity: formatAmount(-balance),
    position: formatAmount(position === null ? 0n : position.debitsPosted - position.creditsPosted),
    reserved: formatAmount(position?.debitsPending ?? 0n),
    excluded: formatAmount(excludedOf(settlement) + stillToPay(settlement)),
    netDebitCap: amountOf(position?.cap),
    available: amountOf(available),
    withdrawable: formatAmount(withdrawableOf(liquidity)),
  }
}

function amountOf(units: bigint | null | undefined): string | undefined {
  return units === null || units === undefined ? undefined : formatAmount(units)
}
