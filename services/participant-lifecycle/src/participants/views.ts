/** Views of participants: parts of their data for callers that need no more. */
import { permittedIn, type States } from '@causeway/services'
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import type { participantViewsService } from '@causeway/protos'
import { participantMessage } from './contract.ts'
import type { Participant } from './domain/participant.ts'
import { participantsNamed } from './store.ts'

export function serveViews(
  database: Database,
  states: States,
): Handlers<typeof participantViewsService> {
  const named = async (names: readonly string[]): Promise<readonly (Participant | undefined)[]> => {
    const found = await participantsNamed(database, names)
    return names.map((name) => found.find((one) => one.name === name))
  }
  return {
    GetParticipantsTransfersData: async ({ names, currency }) => {
      const found = await named(names)
      return {
        participants: names.map((name, index) => {
          const one = found[index]
          const accounts = one === undefined ? [] : participantMessage(one).accounts
          return {
            name,
            exists: one !== undefined,
            isActive: one?.isActive ?? false,
            stateName: one?.state,
            accounts: accounts.filter(
              (each) => currency === undefined || each.currency === currency,
            ),
          }
        }),
      }
    },
    GetParticipantCallbackInfo: async ({ name, endpointType }) => {
      const [one] = await named([name])
      const endpoint = one?.endpoints.find(({ type }) => type === endpointType)
      return { participantExists: one !== undefined, url: endpoint?.value }
    },
    GetParticipantQuoteData: async ({ names }) => {
      const found = await named(names)
      return {
        participants: names.map((name, index) => {
          const one = found[index]
          return {
            name,
            exists: one !== undefined,
            isActive: one !== undefined && permittedIn(states, one.state).has('TRANSFERS'),
            currencies: one === undefined ? [] : [...currenciesOf(one)],
          }
        }),
      }
    },
  }
}

function currenciesOf({ accounts }: Participant): ReadonlySet<string> {
  return new Set(
    accounts
      .filter(({ type, isActive }) => type === 'POSITION' && isActive)
      .map(({ currency }) => currency),
  )
}
