/**
 * The address of a further attempt: the FSP may have registered another one since the notification was
 * requested. Addresses are cached. The address stored with the notification is used when
 * participant-lifecycle does not answer, or when the FSP has registered none.
 */
import { callbackAddress, matchPath, templateVariables } from '@causeway/fspiop'
import type { Participant, Participants } from '@causeway/participants'
import type { Logger } from '@causeway/process'
import type { Claimed } from './parked-store.ts'

export interface Addresses {
  /** The same notifications, each with the address that its FSP has now. */
  renewed(claimed: readonly Claimed[]): Promise<readonly Claimed[]>
  /** Reads the FSP's registered addresses again; never rejects. */
  refresh(fspId: string): Promise<void>
}

export interface AddressParts {
  readonly participants: Pick<Participants, 'peek' | 'get' | 'getFresh'>
  readonly log: Logger
}

/** After a failed query no attempt waits for another one during this time. */
const retry_after_ms = 5_000

export function openAddresses({ participants, log }: AddressParts): Addresses {
  let unavailableUntil_ms = 0

  /** Undefined when the query fails. */
  async function answerTo<Answer>(question: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await question()
    } catch (error) {
      unavailableUntil_ms = performance.now() + retry_after_ms
      log.warn({ err: error }, 'could not read the addresses of FSPs')
      return undefined
    }
  }

  return {
    async renewed(claimed) {
      const fspIds = [...new Set(claimed.filter(isAddressed).map(fspIdOf))]
      const isKnown = fspIds.every((fspId) => participants.peek(fspId) !== undefined)
      const known =
        isKnown || performance.now() >= unavailableUntil_ms
          ? await answerTo(() => participants.get(fspIds, () => true))
          : undefined
      return claimed.map((each) => {
        const fspId = fspIdOf(each)
        return withAddress(each, known?.get(fspId) ?? participants.peek(fspId))
      })
    },
    async refresh(fspId) {
      await answerTo(() => participants.getFresh(fspId))
    },
  }
}

function fspIdOf({ notification }: Claimed): string {
  return notification.fspId
}

function isAddressed({ notification: { request } }: Claimed): boolean {
  return request.transport.type === 'HTTP' && request.transport.path !== undefined
}

function withAddress(claimed: Claimed, fsp: Participant | undefined): Claimed {
  const { notification } = claimed
  const { request } = notification
  const { transport } = request
  if (fsp === undefined || transport.type !== 'HTTP' || transport.path === undefined) return claimed
  const url = addressAt(fsp, transport.method, transport.path)
  if (url === undefined || url === transport.url) return claimed
  return {
    ...claimed,
    notification: { ...notification, request: { ...request, transport: { ...transport, url } } },
  }
}

/** Undefined when the FSP has none. */
function addressAt(fsp: Participant, method: string, path: string): string | undefined {
  const [withoutQuery = '', query = ''] = path.split('?', 2)
  const match = matchPath(method, withoutQuery)
  if (match.kind !== 'ROUTE') return undefined
  const { operation, resource, parameters } = match
  const variables = templateVariables(resource, parameters)
  const url = callbackAddress(fsp.endpoints, operation, path, variables)
  if (url === undefined || query === '' || url.endsWith(`?${query}`)) return url
  return `${url}${url.includes('?') ? '&' : '?'}${query}`
}
