/** Collects the data of an FSP's checklist from the services. */
import type { AccountBalance, Participant, Ping } from '@causeway/protos'
import type { Deps } from '../upstream.ts'
import { unitsOf } from '../upstream.ts'
import type { CurrencyFacts, Facts, PingFacts } from './domain/checklist.ts'

const letters_max = 1_000

export async function gatherFacts(deps: Deps, participant: Participant): Promise<Facts> {
  const { name } = participant
  const names = { names: [name] }
  const [accounts, keys, states, pings, letters] = await Promise.all([
    deps.participants.RequestAccountsPositions({ name, currency: '' }),
    deps.keys.GetParticipantKeys(names),
    deps.credentials.GetCredentialStates(names),
    deps.pings.GetLastPings(names),
    deps.notifications.ListDeadLetters({ fspId: name, limit: letters_max }),
  ])
  const state = states.states[0]
  const ping = pings.pings[0]
  return {
    name,
    type: participant.type === 'PISP' ? 'PISP' : 'DFSP',
    edgeIdentity: deps.settings.EDGE_IDENTITY,
    isActive: participant.isActive,
    endpointTypes: new Set(participant.endpoints.map(({ type }) => type)),
    currencies: currenciesOf(participant, accounts.balances?.accounts ?? []),
    keys: (keys.participants[0]?.keys ?? []).map(({ kid, use, validFrom, validTo }) => ({
      kid,
      use,
      validFrom: new Date(validFrom),
      validTo: timeOf(validTo),
    })),
    clientSecrets: state?.clientSecrets ?? 0,
    certificateValidTo: timeOf(state?.certificateValidTo ?? ''),
    ping: ping === undefined ? null : pingOf(ping),
    deadLetters: letters.deadLetters.map(({ takenAt }) => ({ takenAt: new Date(takenAt) })),
  }
}

function timeOf(text: string): Date | null {
  return text === '' ? null : new Date(text)
}

/** One for each currency in which it has a position. Funds are the cover that it has. */
function currenciesOf(
  { accounts }: Participant,
  balances: readonly AccountBalance[],
): readonly CurrencyFacts[] {
  return accounts
    .filter(({ ledgerAccountType }) => ledgerAccountType === 'POSITION')
    .map(({ currency, limit }) => {
      const settlement = balances.find(
        (balance) => balance.currency === currency && balance.ledgerAccountType === 'SETTLEMENT',
      )
      return {
        currency,
        hasLimit: limit !== undefined && limit !== null,
        inactiveAccounts: accounts
          .filter((account) => account.currency === currency && !account.isActive)
          .map(({ id, ledgerAccountType: type }) => ({ id, type })),
        funds: settlement === undefined ? 0n : -unitsOf(settlement.value),
      }
    })
}

function pingOf({ receivedAt, identity, callbackStatus, ...callback }: Ping): PingFacts {
  return {
    receivedAt: new Date(receivedAt),
    identity,
    answer:
      callbackStatus === 'SUCCESS'
        ? { type: 'DELIVERED', at: new Date(callback.callbackAt) }
        : callbackStatus === 'FAILED'
          ? { type: 'FAILED', error: callback.callbackError || 'no reason was given' }
          : { type: 'UNDER_WAY' },
  }
}
