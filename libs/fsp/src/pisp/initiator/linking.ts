/**
 * The PISP's side of linking and unlinking: requests the consent, has the user authenticate at the
 * DFSP, and registers the user's key. Third-Party API 1.0, linking, sections 1.3 to 1.6 and 2.
 */
import {
  consentChallenge,
  errorBody,
  type ErrorInformation,
  errorInformation,
  patchConsents,
  postConsents,
  putConsentRequests,
  putConsents,
} from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { openPendingRequests, type PendingRequests, tenths } from '../../pending-requests.ts'
import { type Failed, informationIn } from '../../errors.ts'
import type { HubLink } from '../../hub/link.ts'
import {
  bodyOf,
  type InboundHandlers,
  type HandlerResult,
  idOf,
  type Received,
} from '../../inbound.ts'
import { writeMessage } from '../../message.ts'
import { type Channel, type Credential, readScopes, type Scope } from '../consent.ts'
import { singleFlight } from '../single-flight.ts'
import type { LinkingLeg, LinkOrder, LinkResult, UnlinkResult } from './link-order.ts'
import { type LinkedConsent, openLinkedConsents } from './linked.ts'

export interface LinkingOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly authService: string
  readonly resendAfter_ms: number
  readonly answerTimeout_ms: number
  readonly consents?: Iterable<LinkedConsent>
  readonly onConsent?: (consent: LinkedConsent) => void
}

export interface Linking {
  link(order: LinkOrder): Promise<LinkResult>
  unlink(consentId: string): Promise<UnlinkResult>
  consents(): Iterable<LinkedConsent>
  readonly handlers: InboundHandlers
  close(): void
}

interface Context {
  readonly dfspId: string
}

type LinkingRequests<Word> = PendingRequests<Context, Word | Failed>

interface LinkingParts extends LinkingOptions {
  readonly requests: LinkingRequests<{
    readonly state: 'ASKED'
    readonly channel: Channel
    readonly authUri: string | undefined
  }>
  readonly grants: LinkingRequests<{
    readonly state: 'GRANTED'
    readonly consentId: string
    /** As received: the challenge is a hash over them. */
    readonly written: readonly unknown[]
    readonly scopes: readonly Scope[]
  }>
  readonly credentials: LinkingRequests<{ readonly state: 'VERIFIED' }>
  readonly revocations: LinkingRequests<{ readonly state: 'UNLINKED'; readonly revokedAt: string }>
  readonly known: ReturnType<typeof openLinkedConsents>
}

const linking_ms_usually = 600_000
const attempts_max = 3

export function openLinking(options: LinkingOptions): Linking {
  const { link, resendAfter_ms } = options
  const known = openLinkedConsents(options.consents ?? [], options.onConsent ?? (() => undefined))
  const parts: LinkingParts = {
    ...options,
    requests: openPendingRequests(link, resendAfter_ms),
    grants: openPendingRequests(link, resendAfter_ms),
    credentials: openPendingRequests(link, resendAfter_ms),
    revocations: openPendingRequests(link, resendAfter_ms),
    known,
  }
  return {
    link: (order) => linkAccounts(parts, order),
    unlink: singleFlight((consentId) => unlink(parts, consentId)),
    consents: () => known.values(),
    handlers: {
      'PUT /consentRequests/{ID}': (message) => takeChannel(parts, message),
      'PUT /consentRequests/{ID}/error': (message) =>
        takeError(parts, message, [parts.requests, parts.grants]),
      'POST /consents': (message) => takeGrant(parts, message),
      'PUT /consents/{ID}': (message) => takeVerified(parts, message),
      'PATCH /consents/{ID}': (message) => takeChange(parts, message),
      'PUT /consents/{ID}/error': (message) =>
        takeError(parts, message, [parts.credentials, parts.revocations]),
    },
    close() {
      for (const step of [parts.requests, parts.grants, parts.credentials, parts.revocations]) {
        step.close()
      }
    },
  }
}

async function linkAccounts(parts: LinkingParts, order: LinkOrder): Promise<LinkResult> {
  const { consentRequestId = randomUUID(), answerTimeout_ms = linking_ms_usually } = order
  const run: LinkInProgress = {
    order: { ...order, consentRequestId },
    deadline_ms: Date.now() + answerTimeout_ms,
    ms: 0,
  }
  const end = await follow(parts, run)
  return { consentRequestId, ms: tenths(run.ms), ...end }
}

type WithId = LinkOrder & { readonly consentRequestId: string }

interface LinkInProgress {
  readonly order: WithId
  readonly deadline_ms: number
  ms: number
}

type WithoutCommon<End> = End extends unknown ? Omit<End, 'consentRequestId' | 'ms'> : never
type LinkEnd = WithoutCommon<LinkResult>

async function follow(parts: LinkingParts, run: LinkInProgress): Promise<LinkEnd> {
  const { order } = run
  const asked = await ask(parts, run)
  if (asked.state !== 'ASKED') return failed('request', asked)
  const granted = await authenticated(parts, run, asked)
  if (granted.state === 'DECLINED' || granted.state === 'FAILED') return granted
  const { consentId, written, scopes } = granted
  const { consentRequestId, dfspId } = order
  const consent = { consentId, consentRequestId, dfspId, scopes }
  parts.known.put({ ...consent, state: 'GRANTED', credential: undefined })
  const challenge = consentChallenge({ consentId, scopes: written })
  const credential = await order.createCredential({ consentId, scopes, challenge })
  if (credential === undefined) return { state: 'DECLINED', leg: 'credential', consentId }
  const ended = await register(parts, run, { consentId, written, credential })
  if (ended.state !== 'VERIFIED') return { ...failed('credential', ended), consentId }
  parts.known.put({ ...consent, state: 'VERIFIED', credential })
  return { state: 'LINKED', consentId, scopes }
}

async function ask({ requests, name, answerTimeout_ms }: LinkingParts, run: LinkInProgress) {
  const { consentRequestId, dfspId, userId, scopes, channels, callbackUri } = run.order
  const body = {
    consentRequestId,
    userId,
    scopes,
    authChannels: channels,
    ...(callbackUri === undefined ? {} : { callbackUri }),
  }
  // An equal request gets the same answer.
  const request = () => writeMessage('POST', '/consentRequests', { from: name, to: dfspId }, body)
  const until_ms = Date.now() + answerTimeout_ms
  const ended = await requests.send({
    key: consentRequestId,
    request: request(),
    until_ms,
    reminder: request,
    deadline_ms: until_ms,
    context: { dfspId },
  })
  run.ms += ended.ms
  return ended
}

type Granted = Extract<
  Parameters<LinkingParts['grants']['answer']>[1],
  { readonly state: 'GRANTED' }
>

/** A wrong token may be replaced as long as the DFSP accepts another. */
async function authenticated(
  { grants, name, answerTimeout_ms }: LinkingParts,
  run: LinkInProgress,
  { channel, authUri }: { readonly channel: Channel; readonly authUri: string | undefined },
): Promise<Granted | Extract<LinkEnd, { readonly state: 'FAILED' | 'DECLINED' }>> {
  const { consentRequestId, dfspId, authenticate } = run.order
  const leg = 'authentication'
  const path = `/consentRequests/${consentRequestId}`
  for (let attempt = 1; ; attempt += 1) {
    const authToken = await authenticate({ consentRequestId, channel, authUri, attempt })
    if (authToken === undefined) return { state: 'DECLINED', leg }
    const request = () => writeMessage('PATCH', path, { from: name, to: dfspId }, { authToken })
    const until_ms = Math.min(run.deadline_ms, Date.now() + answerTimeout_ms)
    const ended = await grants.send({
      key: consentRequestId,
      request: request(),
      until_ms,
      reminder: request,
      deadline_ms: until_ms,
      context: { dfspId },
    })
    run.ms += ended.ms
    if (ended.state === 'GRANTED') return ended
    const isWrong = ended.state === 'FAILED' && ended.error.errorCode === '6203'
    if (!isWrong || attempt === attempts_max) return failed(leg, ended)
  }
}

async function register(
  { credentials, name, answerTimeout_ms }: LinkingParts,
  run: LinkInProgress,
  own: {
    readonly consentId: string
    readonly written: readonly unknown[]
    readonly credential: Credential
  },
) {
  const { consentId, written, credential } = own
  const { dfspId } = run.order
  const body = {
    scopes: written,
    credential: { ...credential, status: 'PENDING' },
    status: 'ISSUED',
  }
  const route = { from: name, to: dfspId }
  const request = () => writeMessage('PUT', `/consents/${consentId}`, route, body)
  // The DFSP asks the auth service in turn, and may wait as long.
  const until_ms = Date.now() + 2 * answerTimeout_ms
  const ended = await credentials.send({
    key: consentId,
    request: request(),
    until_ms,
    reminder: request,
    deadline_ms: until_ms,
    context: { dfspId },
  })
  run.ms += ended.ms
  return ended
}

function failed(
  leg: LinkingLeg,
  { error }: { readonly error?: ErrorInformation | undefined },
): Extract<LinkEnd, { readonly state: 'FAILED' }> {
  const noAnswer = errorInformation('2004', `no answer to the ${leg} in time`)
  return { state: 'FAILED', leg, error: error ?? noAnswer }
}

/** Sent to the DFSP; the holder of the consent answers both. */
function unlink(
  { revocations, known, name, answerTimeout_ms }: LinkingParts,
  consentId: string,
): Promise<UnlinkResult> {
  const consent = known.get(consentId)
  if (consent === undefined) {
    return Promise.resolve({ state: 'FAILED', error: errorInformation('6103'), ms: 0 })
  }
  const { dfspId } = consent
  const route = { from: name, to: dfspId }
  const request = () => writeMessage('DELETE', `/consents/${consentId}`, route)
  const until_ms = Date.now() + answerTimeout_ms
  return revocations.send({
    key: consentId,
    request: request(),
    until_ms,
    reminder: request,
    deadline_ms: until_ms,
    context: { dfspId },
  })
}

function takeChannel({ requests }: LinkingParts, message: Received): HandlerResult {
  const id = idOf(message)
  const asked = requests.contextOf(id)
  if (asked === undefined) return 'NOT_MINE'
  if (message.source !== asked.dfspId)
    return { rejected: `${message.source} is not the DFSP that was asked` }
  const reading = bodyOf(putConsentRequests, message)
  if (!reading.ok) return { rejected: reading.detail }
  const { authChannels, authUri } = reading.value
  const [channel] = authChannels.map((each) => each.toUpperCase())
  if (channel !== 'WEB' && channel !== 'OTP') return { rejected: '/authChannels: unknown' }
  if (channel === 'WEB' && authUri === undefined) return { rejected: '/authUri: missing' }
  requests.answer(id, { state: 'ASKED', channel, authUri })
  return 'HANDLED'
}

function takeGrant({ grants }: LinkingParts, message: Received): HandlerResult {
  const reading = bodyOf(postConsents, message)
  if (!reading.ok) return { rejected: reading.detail }
  const { consentId, consentRequestId, status } = reading.value
  if (status !== 'ISSUED') return { rejected: '/status: not ISSUED' }
  const asked = consentRequestId === undefined ? undefined : grants.contextOf(consentRequestId)
  if (asked === undefined || consentRequestId === undefined) return 'NOT_MINE'
  if (message.source !== asked.dfspId)
    return { rejected: `${message.source} is not the DFSP that was asked` }
  const { scopes: written } = reading.json as { readonly scopes: readonly unknown[] }
  const scopes = readScopes(reading.value.scopes)
  grants.answer(consentRequestId, { state: 'GRANTED', consentId, written, scopes })
  return 'HANDLED'
}

/** The final consent, in full or as a change. */
function takeVerified({ credentials }: LinkingParts, message: Received): HandlerResult {
  const id = idOf(message)
  const asked = credentials.contextOf(id)
  if (asked === undefined) return 'NOT_MINE'
  if (message.source !== asked.dfspId)
    return { rejected: `${message.source} is not the DFSP that was asked` }
  const reading = bodyOf(putConsents, message)
  if (!reading.ok) return { rejected: reading.detail }
  if (reading.value.credential?.status !== 'VERIFIED') {
    return { rejected: '/credential/status: not VERIFIED' }
  }
  credentials.answer(id, { state: 'VERIFIED' })
  return 'HANDLED'
}

function takeChange(
  { known, credentials, revocations, authService }: LinkingParts,
  message: Received,
) {
  const id = idOf(message)
  const consent = known.get(id)
  if (consent === undefined) return 'NOT_MINE'
  const { source } = message
  if (source !== consent.dfspId && source !== authService) {
    return { rejected: `${source} is not a party to the consent` }
  }
  const reading = bodyOf(patchConsents, message)
  if (!reading.ok) return { rejected: reading.detail }
  const { status, revokedAt = new Date().toISOString(), credential } = reading.value
  if (status === 'REVOKED') {
    if (consent.state !== 'REVOKED') known.put({ ...consent, state: 'REVOKED' })
    revocations.answer(id, { state: 'UNLINKED', revokedAt })
  } else if (credential?.status === 'VERIFIED' && source === consent.dfspId) {
    credentials.answer(id, { state: 'VERIFIED' })
  }
  return 'HANDLED'
}

function takeError(
  { hubName, authService }: LinkingParts,
  message: Received,
  steps: readonly Pick<LinkingRequests<never>, 'contextOf' | 'answer'>[],
): HandlerResult {
  const id = idOf(message)
  const step = steps.find((each) => each.contextOf(id) !== undefined)
  const asked = step?.contextOf(id)
  if (step === undefined || asked === undefined) return 'NOT_MINE'
  if (![asked.dfspId, hubName, authService].includes(message.source)) {
    return { rejected: `${message.source} is not a party to it` }
  }
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return { rejected: reading.detail }
  step.answer(id, { state: 'FAILED', error: informationIn(reading.value) })
  return 'HANDLED'
}
