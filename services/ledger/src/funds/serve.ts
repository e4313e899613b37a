/** The methods of the funds service. */
import { boundedPage, isId, isTime, readCursor, writeCursor } from '@causeway/records'
import { isRefused, refusalMessage, refuse } from '@causeway/services'
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import type { FundsInstructionKind, fundsService, participantsService } from '@causeway/protos'
import { type RefusedChange } from '../domain/refusal.ts'
import { depositOf, endOf, movementMessage, withdrawalOf, type FundsMessage } from './contract.ts'
import { coveredOr, protects, recordFunds, type FundsOutcome, type FundsParts } from './handle.ts'
import { stateOf } from './domain/state.ts'
import { fundsMovements, type FundsCursor } from './store.ts'

export function serveFunds(database: Database, parts: FundsParts): Handlers<typeof fundsService> {
  return {
    RecordFundsOutPrepareReserve: async (message) => {
      const by = { actor: message.actor ?? '', action: 'recordFundsOutPrepareReserve' }
      const command = await held(parts, message, false)
      return answer(isRefused(command) ? command : await recordFunds(parts, command, by))
    },
    RecordFundsOutCommit: async (message) => {
      const { actor, explanation: reason } = message
      const by = { actor, action: 'recordFundsOutCommit', labels: { reason } }
      return answer(inTime(await recordFunds(parts, endOf(message, 'COMMIT'), by)))
    },
    RecordFundsOutAbort: async (message) => {
      const { actor, explanation: reason } = message
      const by = { actor, action: 'recordFundsOutAbort', labels: { reason } }
      return answer(await recordFunds(parts, endOf(message, 'ABORT'), by))
    },
    ListFundsMovements: async ({ name, state, cursor, limit }) => {
      const page_max = boundedPage(limit)
      const after = readCursor<FundsCursor>(cursor, { createdAt: isTime, id: isId })
      const entries = await fundsMovements(database, { name, state }, after, page_max)
      const last = entries.length < page_max ? undefined : entries.at(-1)
      return {
        movements: entries.map(movementMessage),
        cursor: last && writeCursor(cursorOf(last)),
      }
    },
  }
}

function cursorOf({
  id,
  createdAt,
}: {
  readonly id: string
  readonly createdAt: Date
}): FundsCursor {
  return { createdAt: createdAt.toISOString(), id }
}

/** The method of the participants service that moves funds in one step. */
export function manageFunds(
  parts: FundsParts,
): Pick<Handlers<typeof participantsService>, 'ManageFundsCreditDebitPairInstruction'> {
  return {
    ManageFundsCreditDebitPairInstruction: async (message) => {
      const outcome = await moved(parts, message, message.kind, message.actor ?? '')
      return { refusal: outcome.type === 'REFUSE' ? refusalMessage(outcome) : null }
    },
  }
}

async function moved(
  parts: FundsParts,
  message: FundsMessage,
  kind: FundsInstructionKind,
  actor: string,
): Promise<FundsOutcome> {
  switch (kind) {
    case 'DEPOSIT': {
      const command = depositOf(message)
      return isRefused(command)
        ? command
        : recordFunds(parts, command, { actor, action: 'recordFundsIn' })
    }
    case 'WITHDRAWAL': {
      const command = await held(parts, message, true)
      if (isRefused(command)) return command
      const by = { actor, action: 'recordFundsOut' }
      return coveredOr(await recordFunds(parts, command, by))
    }
    // A newer caller may know more kinds.
    default:
      return refuse('INVALID', 'kind is DEPOSIT or WITHDRAWAL')
  }
}

async function held(parts: FundsParts, message: FundsMessage, isFinal: boolean) {
  const { validity_ms } = parts
  const isProtected = await protects(parts, message.currency)
  return withdrawalOf(message, { protects: isProtected, isFinal, validity_ms })
}

/** A commit that came too late has only ended the hold, which is not a success. */
function inTime(outcome: FundsOutcome): FundsOutcome {
  return outcome.type === 'DONE' && stateOf(outcome.entry) === 'EXPIRED'
    ? refuse('FUNDS_EXPIRED', `the funds ${outcome.entry.id} were not completed in time`)
    : outcome
}

function answer(outcome: RefusedChange | FundsOutcome) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { movement: movementMessage(outcome.entry) }
}
