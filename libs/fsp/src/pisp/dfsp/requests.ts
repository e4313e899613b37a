/**
 * The DFSP's side of linking up to the grant: which accounts a user has, whether they may be
 * linked, and the user's authentication. Third-Party API 1.0, linking, sections 1.2 to 1.5.
 */
import {
  type ErrorInformation,
  errorInformation,
  patchConsentRequests,
  payloadHash,
  type PostConsentRequests,
  postConsentRequests,
} from '@causeway/fspiop'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { HubLink } from '../../hub/link.ts'
import { bodyOf, type InboundHandlers, idOf } from '../../inbound.ts'
import { type Outgoing, type Route, writeMessage } from '../../message.ts'
import {
  type CachedRequest,
  openIdempotencyCache,
  type IdempotencyCache,
} from '../../idempotency-cache.ts'
import {
  type LinkableAccount,
  type Channel,
  readScopes,
  type Scope,
  transferAction,
} from '../consent.ts'
import {
  type ConsentRequest,
  isOffered,
  judgeConsentRequest,
  judgeToken,
  type PendingToken,
} from './consent-request.ts'
import type { Links } from './links.ts'
import { maskNickname } from './nickname.ts'
import type { DfspOptions } from './options.ts'

export interface ConsentRequestOptions {
  readonly name: string
  readonly link: HubLink
  readonly dfsp: DfspOptions
  readonly links: Links
  readonly answerTimeout_ms: number
  readonly remembered_max: number
}

export interface ConsentRequests {
  /** See `Dfsp`. */
  choicesOf(consentRequestId: string): Promise<LinkingChoices | undefined>
  grant(consentRequestId: string, scopes: readonly Scope[]): Promise<string | undefined>
  decline(consentRequestId: string): void
  readonly handlers: InboundHandlers
}

/** The choices of a user who has logged in. */
export interface LinkingChoices {
  readonly pispId: string
  readonly userId: string
  readonly accounts: readonly LinkableAccount[]
  /** What the PISP requests. */
  readonly scopes: readonly Scope[]
}

interface CachedConsentRequest extends CachedRequest {
  readonly pispId: string
  readonly request: ConsentRequest
  /** What the user allows; what the PISP requests until the user changes it. */
  scopes: readonly Scope[]
  /** Undefined: the request was refused, or the user has not logged in. */
  pending: PendingToken | undefined
  /** The consent is granted once, for this token. */
  grantedFor: string | undefined
}

interface ConsentRequestParts extends ConsentRequestOptions {
  readonly requests: IdempotencyCache<CachedConsentRequest>
}

const token_ms_usually = 600_000
const attempts_usually = 3

export function openConsentRequests(options: ConsentRequestOptions): ConsentRequests {
  const { name, link, remembered_max, answerTimeout_ms } = options
  const parts: ConsentRequestParts = {
    ...options,
    requests: openIdempotencyCache(link, remembered_max),
  }
  const open = (id: string) => {
    const request = parts.requests.get(id)
    return request === undefined || request.grantedFor !== undefined ? undefined : request
  }
  return {
    async choicesOf(id) {
      const request = open(id)
      if (request === undefined) return undefined
      const { pispId, scopes } = request
      const { userId } = request.request
      return { pispId, userId, scopes, accounts: await options.dfsp.accountsOf(userId) }
    },
    grant: async (id, scopes) => grant(parts, open(id), scopes),
    decline(id) {
      const request = open(id)
      if (request === undefined) return
      request.pending = undefined
      void parts.requests.answer(
        request,
        refusal(parts, request.pispId, id, errorInformation('6102')),
      )
    },
    handlers: {
      'GET /accounts/{ID}'(message) {
        void answerAccounts(options, message.source, idOf(message))
        return 'HANDLED'
      },
      'POST /consentRequests'(message) {
        const reading = bodyOf(postConsentRequests, message)
        if (!reading.ok) return { rejected: reading.detail }
        take(parts, message.source, reading.value, `${message.source} ${payloadHash(reading.json)}`)
        return 'HANDLED'
      },
      'GET /consentRequests/{ID}'(message) {
        const id = idOf(message)
        const known = parts.requests.get(id)
        if (known?.pispId === message.source) {
          parts.requests.resend(known)
        } else {
          const unknown = refusal(parts, message.source, id, errorInformation('6104'))
          void link.sendUntil(unknown, Date.now() + answerTimeout_ms)
        }
        return 'HANDLED'
      },
      'PATCH /consentRequests/{ID}'(message) {
        const reading = bodyOf(patchConsentRequests, message)
        if (!reading.ok) return { rejected: reading.detail }
        void takeToken(parts, message.source, idOf(message), reading.value.authToken)
        return 'HANDLED'
      },
    },
  }

  function answerAccounts(own: ConsentRequestOptions, to: string, userId: string) {
    return accountsMessage(own, { from: name, to }, userId).then((answer) =>
      link.sendUntil(answer, Date.now() + answerTimeout_ms),
    )
  }
}

/** Names of accounts are masked: the user has not consented yet. */
async function accountsMessage(
  { dfsp }: ConsentRequestOptions,
  route: Route,
  userId: string,
): Promise<Outgoing> {
  const path = `/accounts/${encodeURIComponent(userId)}`
  const accounts = await orNone(() => dfsp.accountsOf(userId))
  if (accounts === undefined || accounts.length === 0) {
    const error = errorInformation(accounts === undefined ? '2001' : '6205')
    return writeMessage('PUT', `${path}/error`, route, { errorInformation: error })
  }
  const list = accounts.map(({ address, currency, accountNickname }) => ({
    address,
    currency,
    ...(accountNickname === undefined ? {} : { accountNickname: maskNickname(accountNickname) }),
  }))
  return writeMessage('PUT', path, route, { accounts: list })
}

function take(
  parts: ConsentRequestParts,
  pispId: string,
  body: PostConsentRequests,
  terms: string,
): void {
  const { requests, link, dfsp } = parts
  const { consentRequestId, userId, authChannels, callbackUri } = body
  const known = requests.get(consentRequestId)
  if (known === undefined) {
    const scopes = readScopes(body.scopes)
    const request: CachedConsentRequest = {
      pispId,
      request: { consentRequestId, userId, scopes, authChannels, callbackUri },
      scopes,
      terms,
      until_ms: Date.now() + (dfsp.token_ms_max ?? token_ms_usually),
      answer: undefined,
      pending: undefined,
      grantedFor: undefined,
    }
    requests.add(consentRequestId, request)
    void decide(parts, request)
  } else if (known.terms === terms) {
    requests.resend(known)
  } else {
    const modified = refusal(parts, pispId, consentRequestId, errorInformation('3106'))
    void link.sendUntil(modified, known.until_ms)
  }
}

async function decide(parts: ConsentRequestParts, request: CachedConsentRequest): Promise<void> {
  const { requests, dfsp } = parts
  const { pispId } = request
  const { consentRequestId: id, userId, callbackUri } = request.request
  const accounts = await orNone(() => dfsp.accountsOf(userId))
  const decision =
    accounts === undefined
      ? ({ type: 'REFUSE', error: errorInformation('2001') } as const)
      : judgeConsentRequest(request.request, {
          accounts,
          actions: dfsp.actions ?? [transferAction],
          channels: channelsOf(dfsp),
          isTrustedUri: (uri) => dfsp.isTrustedUri?.(uri, pispId) ?? false,
        })
  if (decision.type === 'REFUSE') {
    await requests.answer(request, refusal(parts, pispId, id, decision.error))
    return
  }
  const { channel } = decision
  if (channel === 'OTP' && !(await sendOtp(parts, request))) {
    await requests.answer(request, refusal(parts, pispId, id, errorInformation('6003')))
    return
  }
  const body = {
    scopes: request.scopes,
    authChannels: [channel],
    ...(callbackUri === undefined ? {} : { callbackUri }),
    ...(channel === 'WEB' ? { authUri: dfsp.authUriOf?.(id) } : {}),
  }
  const answer = writeMessage('PUT', `/consentRequests/${id}`, routeTo(parts, pispId), body)
  await requests.answer(request, answer)
}

/** The channels that the DFSP can serve. */
function channelsOf({ channels = ['WEB', 'OTP'], authUriOf, sendOtp }: DfspOptions) {
  const served: Readonly<Record<Channel, boolean>> = {
    WEB: authUriOf !== undefined,
    OTP: sendOtp !== undefined,
  }
  return channels.filter((channel) => served[channel])
}

async function sendOtp(
  { dfsp }: ConsentRequestParts,
  request: CachedConsentRequest,
): Promise<boolean> {
  const otp = String(randomInt(1_000_000)).padStart(6, '0')
  request.pending = newToken(dfsp, otp, request.until_ms)
  const sent = await orNone(async () => {
    await dfsp.sendOtp?.(request.request.userId, otp)
    return true
  })
  return sent === true
}

function newToken(
  { attempts_max = attempts_usually }: DfspOptions,
  token: string,
  until_ms: number,
): PendingToken {
  return { token, attemptsLeft: attempts_max, until_ms }
}

/** The address that the browser opens next, with the secret in it. */
async function grant(
  { dfsp }: ConsentRequestParts,
  request: CachedConsentRequest | undefined,
  scopes: readonly Scope[],
): Promise<string | undefined> {
  const { callbackUri, userId } = request?.request ?? {}
  if (request === undefined || callbackUri === undefined || userId === undefined) return undefined
  if (request.until_ms <= Date.now()) return undefined
  const policy = {
    accounts: await dfsp.accountsOf(userId),
    actions: dfsp.actions ?? [transferAction],
  }
  if (!isOffered(scopes, policy)) return undefined
  const token = randomBytes(24).toString('base64url')
  request.scopes = scopes
  request.pending = newToken(dfsp, token, request.until_ms)
  const url = new URL(callbackUri)
  url.searchParams.set('authToken', token)
  return url.toString()
}

/** A repeat of the token of a grant gets the same consent. */
async function takeToken(
  parts: ConsentRequestParts,
  source: string,
  id: string,
  token: string,
): Promise<void> {
  const { requests, links, link, dfsp, answerTimeout_ms } = parts
  const request = requests.get(id)
  if (request === undefined || request.pispId !== source) {
    const unknown = refusal(parts, source, id, errorInformation('6203'))
    await link.sendUntil(unknown, Date.now() + answerTimeout_ms)
    return
  }
  if (request.grantedFor === token) {
    requests.resend(request)
    return
  }
  const now_ms = Date.now()
  const decision = judgeToken(request.pending, token, now_ms)
  if (decision.type === 'REFUSE') {
    const { attemptsLeft, error } = decision
    if (request.pending !== undefined) request.pending = { ...request.pending, attemptsLeft }
    await link.sendUntil(refusal(parts, source, id, error), now_ms + answerTimeout_ms)
    return
  }
  request.pending = undefined
  request.grantedFor = token
  const { scopes } = request
  const consentId = randomUUID()
  const { consent_ms_max } = dfsp
  links.put({
    consentId,
    consentRequestId: id,
    pispId: source,
    userId: request.request.userId,
    scopes,
    granted_ms: now_ms,
    expires_ms: consent_ms_max === undefined ? undefined : now_ms + consent_ms_max,
    state: 'GRANTED',
  })
  const body = { consentId, consentRequestId: id, scopes, status: 'ISSUED' }
  await requests.answer(request, writeMessage('POST', '/consents', routeTo(parts, source), body))
}

function routeTo({ name }: ConsentRequestParts, pispId: string): Route {
  return { from: name, to: pispId }
}

function refusal(
  parts: ConsentRequestParts,
  pispId: string,
  id: string,
  error: ErrorInformation,
): Outgoing {
  return writeMessage('PUT', `/consentRequests/${id}/error`, routeTo(parts, pispId), {
    errorInformation: error,
  })
}

/** Undefined: the DFSP's own systems failed. */
async function orNone<Value>(ask: () => Value | Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask()
  } catch {
    return undefined
  }
}
