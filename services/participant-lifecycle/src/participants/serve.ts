/** The methods of the participants service. */
import type { By } from '@causeway/events'
import {
  active,
  inactive,
  isRefused,
  refusalMessage,
  refuse,
  unknownParticipant,
} from '@causeway/services'
import type { Handlers } from '@causeway/grpc'
import { moneyChanges, type FundsParts } from '@causeway/ledger'
import { decimalsFault } from '@causeway/ledger/domain'
import { formatAmount } from '@causeway/money'
import type { Database } from '@causeway/postgres'
import type { participantsService } from '@causeway/protos'
import type { RefusedChange } from '../domain/refusal.ts'
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
import { currencyUseFault } from './domain/scheme.ts'
import { setAccountStatus, setEndpoint, setLimit, setState } from './domain/update.ts'
import {
  changeParticipant,
  createParticipant,
  createPispParticipant,
  openHubAccount,
  openModelAccounts,
  setInitialPositionAndLimits,
  type HandleParts,
  type ParticipantOutcome,
} from './handle.ts'
import { deniedEndpoint } from './reach.ts'
import { balancesOf, participantsNamed } from './store.ts'

type ParticipantsHandlers = Handlers<typeof participantsService>

export function serveParticipants(
  database: Database,
  parts: HandleParts & FundsParts,
): ParticipantsHandlers {
  return {
    ...queries(database),
    ...creations(parts),
    ...updates(parts),
    ...moneyChanges.manageFunds(parts),
  }
}

function queries(
  database: Database,
): Pick<ParticipantsHandlers, 'GetParticipantInfo' | 'RequestAccountsPositions'> {
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
        reservedValue: formatAmount(account.reserved),
        changedAt: account.changedAt.toISOString(),
      }))
      return { balances: { participantIsActive: found.isActive, accounts } }
    },
  }
}

function creations(
  parts: HandleParts,
): Pick<ParticipantsHandlers, 'CreateParticipant' | 'CreateHubAccount' | 'AddModelAccounts'> {
  return {
    CreateParticipant: async ({ name, currency, createdBy, type }) => {
      if (type === 'PISP') {
        const fault = pispFault(name, currency)
        return participantAnswer(fault ?? (await createPispParticipant(parts, { name, createdBy })))
      }
      if (currency === undefined) {
        return participantAnswer(refuse('INVALID', 'a DFSP has a currency'))
      }
      const fault = creationFault(name, currency) ?? currencyUseFault(parts.isUsed, currency)
      return participantAnswer(
        fault ?? (await createParticipant(parts, { name, currency, createdBy })),
      )
    },
    CreateHubAccount: async ({ name, currency, ledgerAccountType: type, createdBy }) => {
      const fault = currencyFault(currency) ?? currencyUseFault(parts.isUsed, currency)
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

function updates(
  parts: HandleParts,
): Pick<
  ParticipantsHandlers,
  | 'UpdateParticipantState'
  | 'SetInitialPositionAndLimits'
  | 'UpdateParticipantAccountLimit'
  | 'UpdateAccountStatus'
  | 'UpdateEndpoint'
> {
  return {
    UpdateParticipantState: async ({ name, isActive, stateName, actor, explanation }) => {
      const wanted = stateName ?? (isActive ? active : inactive)
      const by = {
        ...who(actor, 'UpdateParticipantState'),
        ...(explanation === undefined ? {} : { labels: { reason: explanation } }),
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
      const fault = tooFine(parts, currency, initial.value, position)
      if (fault !== undefined) return done(fault)
      const by = who(actor, 'SetInitialPositionAndLimits')
      return done(await setInitialPositionAndLimits(parts, name, by, initial, position))
    },
    UpdateParticipantAccountLimit: async ({ name, currency, limit, actor }) => {
      const wanted = limitOf(currency, limit)
      if (isRefused(wanted)) return { refusal: refusalMessage(wanted) }
      const fault = tooFine(parts, currency, wanted.value)
      if (fault !== undefined) return { refusal: refusalMessage(fault) }
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

/** Why one of the amounts may not be used. */
function tooFine(
  { rules }: HandleParts,
  currency: string,
  ...amounts: readonly bigint[]
): RefusedChange | undefined {
  return amounts
    .map((units) => decimalsFault(rules.decimals?.(), currency, units))
    .find((fault) => fault !== undefined)
}

function who(actor: string | undefined, action: string): By {
  return { actor: actor ?? '', action }
}

function participantAnswer(outcome: ParticipantOutcome) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { participant: participantMessage(outcome.participant) }
}

function done(outcome: RefusedChange | { readonly type: 'DONE' }) {
  return { refusal: outcome.type === 'REFUSE' ? refusalMessage(outcome) : null }
}
