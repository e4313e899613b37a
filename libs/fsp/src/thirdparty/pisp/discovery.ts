/**
 * Which DFSPs accounts can be linked at, and which accounts a user has at one of them. Third-Party API
 * 1.0, linking, sections 1.1 and 1.2.
 */
import { errorBody, putAccounts, putServices } from '@causeway/fspiop'
import { type Ended, openQuestions, type Questions } from '../../asking.ts'
import { type Failed, informationIn } from '../../errors.ts'
import type { HubLink } from '../../hub/link.ts'
import { bodyOf, type Hearers, idOf } from '../../inbound.ts'
import { writeMessage } from '../../message.ts'
import { takeTurns } from '../../turns.ts'
import type { Account } from '../consent.ts'

export type ProvidersResult = Ended<
  { readonly state: 'FOUND'; readonly providers: readonly string[] } | Failed
>

/** FAILED: the DFSP does not know the user (6205), or cannot be asked. */
export type AccountsResult = Ended<
  { readonly state: 'FOUND'; readonly accounts: readonly Account[] } | Failed
>

export interface DiscoveryOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly silence_ms: number
  readonly patience_ms: number
}

export interface Discovery {
  /** Asked for again when the list is a day old. */
  providers(): Promise<ProvidersResult>
  accounts(dfspId: string, userId: string): Promise<AccountsResult>
  readonly hearers: Hearers
  close(): void
}

type ProvidersEnd = Exclude<ProvidersResult, { readonly state: 'REFUSED' | 'UNRESOLVED' }>
type AccountsEnd = Exclude<AccountsResult, { readonly state: 'REFUSED' | 'UNRESOLVED' }>
type WithoutMs<End> = End extends unknown ? Omit<End, 'ms'> : never

const day_ms = 86_400_000
const service = 'THIRD_PARTY_DFSP'

type Lists = Questions<undefined, WithoutMs<ProvidersEnd>>
type Books = Questions<{ readonly dfspId: string }, WithoutMs<AccountsEnd>>

export function openDiscovery(options: DiscoveryOptions): Discovery {
  const { name, link, silence_ms, patience_ms } = options
  const services: Lists = openQuestions(link, silence_ms)
  const accounts: Books = openQuestions(link, silence_ms)
  const servicesTurn = takeTurns<ProvidersResult>()
  const accountsTurn = takeTurns<AccountsResult>()
  let known: { readonly result: ProvidersResult; readonly asked_ms: number } | undefined

  async function askProviders(): Promise<ProvidersResult> {
    const request = () => writeMessage('GET', `/services/${service}`, { from: name })
    const until_ms = Date.now() + patience_ms
    const result = await services.ask({
      key: service,
      request: request(),
      until_ms,
      reminder: request,
      deadline_ms: until_ms,
      context: undefined,
    })
    if (result.state === 'FOUND') known = { result, asked_ms: Date.now() }
    return result
  }

  function askAccounts(dfspId: string, userId: string): Promise<AccountsResult> {
    const route = { from: name, to: dfspId }
    const path = `/accounts/${encodeURIComponent(userId)}`
    const request = () => writeMessage('GET', path, route)
    const until_ms = Date.now() + patience_ms
    return accounts.ask({
      key: userId,
      request: request(),
      until_ms,
      reminder: request,
      deadline_ms: until_ms,
      context: { dfspId },
    })
  }

  return {
    async providers() {
      if (known !== undefined && Date.now() - known.asked_ms < day_ms) return known.result
      return servicesTurn(service, service, askProviders)
    },
    accounts: (dfspId, userId) => accountsTurn(userId, dfspId, () => askAccounts(dfspId, userId)),
    hearers: { ...servicesHearers(options, services), ...accountsHearers(options, accounts) },
    close() {
      services.close()
      accounts.close()
    },
  }
}

function servicesHearers({ hubName }: DiscoveryOptions, services: Lists): Hearers {
  return {
    'PUT /services/{ServiceType}'(message) {
      if (message.source !== hubName) return { disbelieved: `${message.source} is not the hub` }
      const reading = bodyOf(putServices, message)
      if (!reading.ok) return { disbelieved: reading.detail }
      const { ServiceType = '' } = message.parameters
      services.answer(ServiceType, { state: 'FOUND', providers: reading.value.providers })
      return 'HEARD'
    },
    'PUT /services/{ServiceType}/error'(message) {
      if (message.source !== hubName) return { disbelieved: `${message.source} is not the hub` }
      const reading = bodyOf(errorBody, message)
      if (!reading.ok) return { disbelieved: reading.detail }
      const { ServiceType = '' } = message.parameters
      services.answer(ServiceType, { state: 'FAILED', error: informationIn(reading.value) })
      return 'HEARD'
    },
  }
}

function accountsHearers({ hubName }: DiscoveryOptions, accounts: Books): Hearers {
  return {
    'PUT /accounts/{ID}'(message) {
      const { source } = message
      const userId = idOf(message)
      const asked = accounts.open(userId)
      if (asked === undefined) return 'NOT_MINE'
      if (source !== asked.dfspId) return { disbelieved: `${source} was not asked` }
      const reading = bodyOf(putAccounts, message)
      if (!reading.ok) return { disbelieved: reading.detail }
      const list = reading.value.accounts ?? reading.value.accountList ?? []
      accounts.answer(userId, { state: 'FOUND', accounts: list.flatMap(accountOf) })
      return 'HEARD'
    },
    'PUT /accounts/{ID}/error'(message) {
      const { source } = message
      const userId = idOf(message)
      const asked = accounts.open(userId)
      if (asked === undefined) return 'NOT_MINE'
      if (source !== asked.dfspId && source !== hubName) {
        return { disbelieved: `${source} was not asked` }
      }
      const reading = bodyOf(errorBody, message)
      if (!reading.ok) return { disbelieved: reading.detail }
      accounts.answer(userId, { state: 'FAILED', error: informationIn(reading.value) })
      return 'HEARD'
    },
  }
}

/** An account without an address cannot be linked. */
function accountOf(written: {
  readonly address?: string | undefined
  readonly currency: string
  readonly accountNickname?: string | undefined
}): readonly Account[] {
  const { address, currency, accountNickname } = written
  if (address === undefined) return []
  return [{ address, currency, ...(accountNickname === undefined ? {} : { accountNickname }) }]
}
