/** Collects the data of an FSP's checklist from the services. */
import { endpointValueFault, isEndpointType } from '@causeway/fspiop'
import type { AccountBalance, ModelRule, Participant, Ping } from '@causeway/protos'
import type { Deps } from '../upstream.ts'
import { unitsOf } from '../upstream.ts'
import type { CurrencyFacts, Facts, PingFacts } from './domain/checklist.ts'

const letters_max = 1_000

export async function gatherFacts(deps: Deps, participant: Participant): Promise<Facts> {
  const { name } = participant
  const names = { names: [name] }
  const [accounts, models, keys, states, pings, letters, unreachable] = await Promise.all([
    deps.participants.RequestAccountsPositions({ name }),
    deps.ledger.ListModelRules({}),
    deps.keys.GetParticipantKeys(names),
    deps.credentials.GetCredentialStates(names),
    deps.pings.GetLastPings(names),
    deps.notifications.ListDeadLetters({ fspId: name, limit: letters_max }),
    deps.notifications.GetUnreachable({ fspIds: [name] }),
  ])
  const state = states.states[0]
  const ping = pings.pings[0]
  const away = unreachable.fsps[0]
  return {
    name,
    type: participant.type === 'PISP' ? 'PISP' : 'DFSP',
    edgeIdentity: deps.settings.EDGE_IDENTITY,
    isActive: participant.isActive,
    endpointTypes: new Set(participant.endpoints.map(({ type }) => type)),
    unusableEndpoints: participant.endpoints.flatMap(({ type, value }) => {
      const fault = isEndpointType(type) ? endpointValueFault(type, value) : undefined
      return fault === undefined ? [] : [{ type, fault }]
    }),
    currencies: currenciesOf(participant, accounts.balances?.accounts ?? [], models.rules),
    keys: (keys.participants[0]?.keys ?? []).map(({ kid, use, validFrom, validTo }) => ({
      kid,
      use,
      validFrom: new Date(validFrom),
      validTo: timeOf(validTo),
    })),
    clientSecrets: state?.clientSecrets ?? 0,
    certificateValidTo: timeOf(state?.certificateValidTo),
    ping: ping === undefined ? null : pingOf(ping),
    unreachable: away === undefined ? null : { since: new Date(away.since), error: away.lastError },
    deadLetters: letters.deadLetters.map(({ takenAt }) => ({ takenAt: new Date(takenAt) })),
  }
}

function timeOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text)
}

/** One for each currency in which it has a position. Funds are the cover that it has. */
function currenciesOf(
  { accounts }: Participant,
  balances: readonly AccountBalance[],
  rules: readonly ModelRule[],
): readonly CurrencyFacts[] {
  return accounts
    .filter(({ ledgerAccountType }) => ledgerAccountType === 'POSITION')
    .map(({ currency, limit }) => {
      const rule = ruleInForce(rules, currency)
      const coverType = rule?.coverType ?? 'SETTLEMENT'
      const settlement = balances.find(
        (balance) => balance.currency === currency && balance.ledgerAccountType === coverType,
      )
      return {
        currency,
        hasLimit: limit !== undefined && limit !== null,
        inactiveAccounts: accounts
          .filter((account) => account.currency === currency && !account.isActive)
          .map(({ id, ledgerAccountType: type }) => ({ id, type })),
        coverType,
        modelWithoutCheck: rule?.isCheckOff === true ? rule.settlementModel : null,
        funds: settlement === undefined ? 0n : -unitsOf(settlement.value),
      }
    })
}

/** The oldest active model of the currency, else the oldest active default model. */
function ruleInForce(rules: readonly ModelRule[], currency: string): ModelRule | undefined {
  const active = rules.filter(({ isActive }) => isActive)
  return (
    active.find((rule) => rule.currency === currency) ??
    active.find((rule) => (rule.currency ?? '') === '')
  )
}

function pingOf(ping: Ping): PingFacts {
  return {
    receivedAt: new Date(ping.receivedAt),
    identity: ping.identity,
    answer: answerOf(ping),
  }
}

function answerOf({ callbackStatus, callbackAt, callbackError }: Ping): PingFacts['answer'] {
  if (callbackStatus === undefined) return { type: 'UNDER_WAY' }
  switch (callbackStatus) {
    case 'SUCCESS':
      return { type: 'DELIVERED', at: new Date(callbackAt ?? '') }
    case 'FAILED':
      return { type: 'FAILED', error: callbackError ?? 'no reason was given' }
  }
}
