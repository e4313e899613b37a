/**
 * A DFSP's decisions about a consent request: whether it is acceptable, and whether the user has
 * authenticated. Third-Party API 1.0, linking, sections 1.3 to 1.5.
 */
import { type ErrorInformation, errorInformation } from '@causeway/fspiop'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { LinkableAccount, Channel, Scope } from '../consent.ts'

export interface ConsentRequest {
  readonly consentRequestId: string
  readonly userId: string
  readonly scopes: readonly Scope[]
  readonly authChannels: readonly string[]
  readonly callbackUri: string | undefined
}

/** What the DFSP offers. */
export interface ConsentPolicy {
  /** The user's accounts; none when the DFSP does not know the user. */
  readonly accounts: readonly LinkableAccount[]
  readonly actions: readonly string[]
  /** In the order of preference. */
  readonly channels: readonly Channel[]
  readonly isTrustedUri: (callbackUri: string) => boolean
}

export type ConsentRequestDecision =
  | { readonly type: 'AUTHENTICATE'; readonly channel: Channel }
  | { readonly type: 'REFUSE'; readonly error: ErrorInformation }

export function judgeConsentRequest(
  request: ConsentRequest,
  policy: ConsentPolicy,
): ConsentRequestDecision {
  const { callbackUri } = request
  const offered = new Set(request.authChannels.map((channel) => channel.toUpperCase()))
  const channel = policy.channels.find((each) => offered.has(each))
  if (channel === undefined) return refuse('6104', 'no authentication channel in common')
  if (offered.has('WEB') && (callbackUri === undefined || !policy.isTrustedUri(callbackUri))) {
    return refuse('6204')
  }
  return isOffered(request.scopes, policy) ? { type: 'AUTHENTICATE', channel } : refuse('6101')
}

/** Whether the user owns every account, every action is offered, and none is named twice. */
export function isOffered(
  scopes: readonly Scope[],
  { accounts, actions }: Pick<ConsentPolicy, 'accounts' | 'actions'>,
): boolean {
  const own = new Set(accounts.map(({ address }) => address))
  return (
    scopes.length > 0 &&
    new Set(scopes.map(({ address }) => address)).size === scopes.length &&
    scopes.every(
      (scope) =>
        own.has(scope.address) &&
        scope.actions.length > 0 &&
        scope.actions.every((action) => actions.includes(action)),
    )
  )
}

/** The secret that the user carries to the PISP, and how many attempts are left. */
export interface PendingToken {
  readonly token: string
  readonly attemptsLeft: number
  /** Of Date.now. */
  readonly until_ms: number
}

export type TokenDecision =
  | { readonly type: 'GRANT' }
  | { readonly type: 'REFUSE'; readonly error: ErrorInformation; readonly attemptsLeft: number }

/** Without a pending token the user has not logged in, or the request has ended: both are 6203. */
export function judgeToken(
  pending: PendingToken | undefined,
  given: string,
  now_ms: number,
): TokenDecision {
  if (pending === undefined || pending.attemptsLeft <= 0 || pending.until_ms <= now_ms) {
    return { type: 'REFUSE', error: errorInformation('6203'), attemptsLeft: 0 }
  }
  if (isSame(pending.token, given)) return { type: 'GRANT' }
  const attemptsLeft = pending.attemptsLeft - 1
  return { type: 'REFUSE', error: errorInformation('6203'), attemptsLeft }
}

/** In constant time, whatever the lengths. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other))
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function refuse(code: '6101' | '6104' | '6204', detail?: string): ConsentRequestDecision {
  return { type: 'REFUSE', error: errorInformation(code, detail) }
}
