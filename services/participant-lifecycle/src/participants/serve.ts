/** The methods of the participants service. */
import type { Handlers } from '@causeway/grpc'
import { refusalMessage, type By, manageFunds, type FundsParts } from '@causeway/ledger'
import {
  isRefused,
  refuse,
  type Refused,
  unknownParticipant,
  active,
  inactive,
} from '@causeway/ledger/domain'
import { formatAmount } from '@causeway/money'
import type { Database } from '@causeway/postgres'
import type { participantsService } from '@causeway/protos'
import {
  creationFault,
  currencyFault,
  endpointFault,
  limitMessage,
  limitOf,
  participantMessage,
  pispFault,
  positionOf,
} from './contract.ts'
import { accountIn } from './domain/participant.ts'
import { currencyUseFault, decimalsFault } from './domain/scheme.ts'
import { setAccountStatus, setEndpoint, setLimit, setState } from './domain/update.ts'
import {
  changeParticipant,
  createParticipant,
  createPispParticipant,
  openHubAccount,
  openModelAccounts,
  setInitialPositionAndLimits,
  type HandleParts,
  type Outcome,
} from './handle.ts'
import { deniedEndpoint } from './reach.ts'
import { balancesOf, participantsNamed } from './store.ts'

type Service = Handlers<typeof participantsService>

export function serveParticipants(database: Database, parts: HandleParts & FundsParts): Service {
  return { ...queries(database), ...creations(parts), ...updates(parts), ...funds(parts) }
}

function queries(
  database: Database,
): Pick<Service, 'GetParticipantInfo' | 'RequestAccountsPositions'> {
  return {
    GetParticipantInfo: async ({ names }) => {
      const participants = await participantsNamed(database, names.length === 0 ? 'ALL' : names)
      return { participants: participants.map(participantMessage) }
    },
    RequestAccountsPositions: async ({ name, currency }) => {
      const found = await balancesOf(database, name, currency)
      if (found === undefined) return { refusal: refusalMessage(unknownParticipant(name)) }
      const accounts = found.accounts.map((account) => ({
        id: account.id,
        ledgerAccountType: account.type,
        currency: account.currency,
        isActive: account.isActive,
        value: formatAmount(account.value),
        reservedValue: '0',
        changedAt: account.changedAt.toISOString(),
      }))
      return { balances: { participantIsActive: found.isActive, accounts } }
    },
  }
}

function creations(
  parts: HandleParts,
): Pick<Service, 'CreateParticipant' | 'CreateHubAccount' | 'AddModelAccounts'> {
  return {
    CreateParticipant: async ({ name, currency, createdBy, type = 'DFSP' }) => {
      if (type === 'PISP') {
        const fault = pispFault(name, currency)
        return participantAnswer(fault ?? (await createPispParticipant(parts, { name, createdBy })))
      }
      if (type !== 'DFSP') return participantAnswer(refuse('INVALID', 'type is DFSP or PISP'))
      const fault = creationFault(name, currency) ?? currencyUseFault(parts.decimalsOf, currency)
      return participantAnswer(
        fault ?? (await createParticipant(parts, { name, currency, createdBy })),
      )
    },
    CreateHubAccount: async ({ name, currency, ledgerAccountType: type, createdBy }) => {
      const fault = currencyFault(currency) ?? currencyUseFault(parts.decimalsOf, currency)
      return participantAnswer(
        fault ?? (await openHubAccount(parts, name, { type, currency, createdBy })),
      )
    },
    AddModelAccounts: async ({ currency, ledgerAccountType, settlementAccountType }) => {
      const pair = {
        ledgerAccountType: ledgerAccountType,
        settlementAccountType: settlementAccountType,
      }
      await openModelAccounts(parts, pair, currency)
      return { refusal: null }
    },
  }
}

function funds(
  parts: HandleParts & FundsParts,
): Pick<Service, 'ManageFundsCreditDebitPairInstruction'> {
  const { ManageFundsCreditDebitPairInstruction: move } = manageFunds(parts)
  return {
    ManageFundsCreditDebitPairInstruction: async (message, call) => {
      const fault = decimalsFault(parts.decimalsOf, message.currency, message.amount)
      return fault === undefined ? move(message, call) : { refusal: refusalMessage(fault) }
    },
  }
}

function updates(
  parts: HandleParts,
): Pick<
  Service,
  | 'UpdateParticipantState'
  | 'SetInitialPositionAndLimits'
  | 'UpdateParticipantAccountLimit'
  | 'UpdateAccountStatus'
  | 'UpdateEndpoint'
> {
  return {
    UpdateParticipantState: async ({ name, isActive, state, actor, reason }) => {
      const wanted = state ?? (isActive ? active : inactive)
      const by = {
        ...who(actor, 'UpdateParticipantState'),
        ...(reason === undefined ? {} : { labels: { reason } }),
      }
      return participantAnswer(
        await changeParticipant(parts, name, by, (one) =>
          setState(one, wanted, parts.rules.states),
        ),
      )
    },
    SetInitialPositionAndLimits: async ({ name, currency, limit, initialPosition, actor }) => {
      const initial = limitOf(currency, limit)
      if (isRefused(initial)) return done(initial)
      const position = positionOf(initialPosition)
      if (isRefused(position)) return done(position)
      const by = who(actor, 'SetInitialPositionAndLimits')
      return done(await setInitialPositionAndLimits(parts, name, by, initial, position))
    },
    UpdateParticipantAccountLimit: async ({ name, currency, limit, actor }) => {
      const wanted = limitOf(currency, limit)
      if (isRefused(wanted)) return { refusal: refusalMessage(wanted) }
      const by = who(actor, 'UpdateParticipantAccountLimit')
      const outcome = await changeParticipant(parts, name, by, (one) => setLimit(one, wanted))
      if (outcome.type === 'REFUSE') return { refusal: refusalMessage(outcome) }
      const set = accountIn(outcome.participant, 'POSITION', currency)?.limit
      if (set === null || set === undefined)
        throw new Error(`${name} has no limit after its change`)
      return { limit: limitMessage(set) }
    },
    UpdateAccountStatus: async ({ name, accountId, isActive, actor }) =>
      done(
        await changeParticipant(parts, name, who(actor, 'UpdateAccountStatus'), (one) =>
          setAccountStatus(one, accountId, isActive),
        ),
      ),
    UpdateEndpoint: async ({ name, type, value, createdBy }) => {
      const fault = endpointFault(type, value)
      if (fault !== undefined) return done(fault)
      const denied = await deniedEndpoint(parts.egress, [{ type, value }])
      if (denied !== undefined) return done(denied)
      const endpoint = { type, value, createdBy }
      const by = who(createdBy, 'UpdateEndpoint')
      return done(await changeParticipant(parts, name, by, (one) => setEndpoint(one, endpoint)))
    },
  }
}

function who(actor: string | undefined, action: string): By {
  return { actor: actor ?? '', action }
}

function participantAnswer(outcome: Outcome) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { participant: participantMessage(outcome.participant) }
}

function done(outcome: Refused | { readonly type: 'DONE' }) {
  return { refusal: outcome.type === 'REFUSE' ? refusalMessage(outcome) : null }
}
