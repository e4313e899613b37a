/**
 * The DFSPs where accounts can be linked, and a user's accounts at one of them. Third-Party API
 * 1.0, linking, sections 1.1 and 1.2.
 */
import { errorBody, putAccounts, putServices } from '@causeway/fspiop'
import {
  type TimedResult,
  openPendingRequests,
  type PendingRequests,
} from '../../pending-requests.ts'
import { type Failed, informationIn } from '../../errors.ts'
import type { HubLink } from '../../hub/link.ts'
import { bodyOf, type InboundHandlers, idOf } from '../../inbound.ts'
import { writeMessage } from '../../message.ts'
import { serializeByKey } from '../../serialize.ts'
import type { LinkableAccount } from '../consent.ts'

export type ProvidersResult = TimedResult<
  { readonly state: 'FOUND'; readonly providers: readonly string[] } | Failed
>

/** FAILED: the DFSP does not know the user (6205), or cannot be reached. */
export type AccountsResult = TimedResult<
  { readonly state: 'FOUND'; readonly accounts: readonly LinkableAccount[] } | Failed
>

export interface DiscoveryOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly resendAfter_ms: number
  readonly answerTimeout_ms: number
}

export interface Discovery {
  /** Fetched again when the list is a day old. */
  providers(): Promise<ProvidersResult>
  accounts(dfspId: string, userId: string): Promise<AccountsResult>
  readonly handlers: InboundHandlers
  close(): void
}

type ProvidersEnd = Exclude<ProvidersResult, { readonly state: 'REFUSED' | 'UNRESOLVED' }>
type AccountsEnd = Exclude<AccountsResult, { readonly state: 'REFUSED' | 'UNRESOLVED' }>
type WithoutMs<End> = End extends unknown ? Omit<End, 'ms'> : never

const day_ms = 86_400_000
const service = 'THIRD_PARTY_DFSP'

type Lists = PendingRequests<undefined, WithoutMs<ProvidersEnd>>
type Books = PendingRequests<{ readonly dfspId: string }, WithoutMs<AccountsEnd>>

export function openDiscovery(options: DiscoveryOptions): Discovery {
  const { name, link, resendAfter_ms, answerTimeout_ms } = options
  const services: Lists = openPendingRequests(link, resendAfter_ms)
  const accounts: Books = openPendingRequests(link, resendAfter_ms)
  const servicesTurn = serializeByKey<ProvidersResult>()
  const accountsTurn = serializeByKey<AccountsResult>()
  let known: { readonly result: ProvidersResult; readonly asked_ms: number } | undefined

  async function askProviders(): Promise<ProvidersResult> {
    const request = () => writeMessage('GET', `/services/${service}`, { from: name })
    const until_ms = Date.now() + answerTimeout_ms
    const result = await services.send({
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
    const until_ms = Date.now() + answerTimeout_ms
    return accounts.send({
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
    handlers: { ...servicesHandlers(options, services), ...accountsHandlers(options, accounts) },
    close() {
      services.close()
      accounts.close()
    },
  }
}

function servicesHandlers({ hubName }: DiscoveryOptions, services: Lists): InboundHandlers {
  return {
    'PUT /services/{ServiceType}'(message) {
      if (message.source !== hubName) return { rejected: `${message.source} is not the hub` }
      const reading = bodyOf(putServices, message)
      if (!reading.ok) return { rejected: reading.detail }
      const { ServiceType = '' } = message.parameters
      services.answer(ServiceType, { state: 'FOUND', providers: reading.value.providers })
      return 'HANDLED'
    },
    'PUT /services/{ServiceType}/error'(message) {
      if (message.source !== hubName) return { rejected: `${message.source} is not the hub` }
      const reading = bodyOf(errorBody, message)
      if (!reading.ok) return { rejected: reading.detail }
      const { ServiceType = '' } = message.parameters
      services.answer(ServiceType, { state: 'FAILED', error: informationIn(reading.value) })
      return 'HANDLED'
    },
  }
}

function accountsHandlers({ hubName }: DiscoveryOptions, accounts: Books): InboundHandlers {
  return {
    'PUT /accounts/{ID}'(message) {
      const { source } = message
      const userId = idOf(message)
      const asked = accounts.contextOf(userId)
      if (asked === undefined) return 'NOT_MINE'
      if (source !== asked.dfspId) return { rejected: `${source} is not the DFSP that was asked` }
      const reading = bodyOf(putAccounts, message)
      if (!reading.ok) return { rejected: reading.detail }
      const list = reading.value.accounts ?? reading.value.accountList ?? []
      accounts.answer(userId, { state: 'FOUND', accounts: list.flatMap(accountOf) })
      return 'HANDLED'
    },
    'PUT /accounts/{ID}/error'(message) {
      const { source } = message
      const userId = idOf(message)
      const asked = accounts.contextOf(userId)
      if (asked === undefined) return 'NOT_MINE'
      if (source !== asked.dfspId && source !== hubName) {
        return { rejected: `${source} is not the DFSP that was asked` }
      }
      const reading = bodyOf(errorBody, message)
      if (!reading.ok) return { rejected: reading.detail }
      accounts.answer(userId, { state: 'FAILED', error: informationIn(reading.value) })
      return 'HANDLED'
    },
  }
}

/** An account without an address cannot be linked. */
function accountOf(written: {
  readonly address?: string | undefined
  readonly currency: string
  readonly accountNickname?: string | undefined
}): readonly LinkableAccount[] {
  const { address, currency, accountNickname } = written
  if (address === undefined) return []
  return [{ address, currency, ...(accountNickname === undefined ? {} : { accountNickname }) }]
}
