/**
 * The PISP's side of linking and unlinking: the consent is asked for, the user proves it at the DFSP,
 * and the user's key is registered for it. Third-Party API 1.0, linking, sections 1.3 to 1.6 and 2.
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
import { openQuestions, type Questions, tenths } from '../../asking.ts'
import { type Failed, informationIn } from '../../errors.ts'
import type { HubLink } from '../../hub/link.ts'
import { bodyOf, type Hearers, type Hearing, idOf, type Received } from '../../inbound.ts'
import { writeMessage } from '../../message.ts'
import { type Channel, type Credential, readScopes, type Scope } from '../consent.ts'
import { sharing } from '../sharing.ts'
import type { LinkingLeg, LinkOrder, LinkResult, UnlinkResult } from './link-order.ts'
import { type LinkedConsent, openLinkedConsents } from './linked.ts'

export interface LinkingOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly authService: string
  readonly silence_ms: number
  readonly patience_ms: number
  readonly consents?: Iterable<LinkedConsent>
  readonly onConsent?: (consent: LinkedConsent) => void
}

export interface Linking {
  link(order: LinkOrder): Promise<LinkResult>
  unlink(consentId: string): Promise<UnlinkResult>
  consents(): Iterable<LinkedConsent>
  readonly hearers: Hearers
  close(): void
}

interface Context {
  readonly dfspId: string
}

type Step<Word> = Questions<Context, Word | Failed>

interface Parts extends LinkingOptions {
  readonly requests: Step<{
    readonly state: 'ASKED'
    readonly channel: Channel
    readonly authUri: string | undefined
  }>
  readonly grants: Step<{
    readonly state: 'GRANTED'
    readonly consentId: string
    /** As written: the challenge is a hash over them. */
    readonly written: readonly unknown[]
    readonly scopes: readonly Scope[]
  }>
  readonly credentials: Step<{ readonly state: 'VERIFIED' }>
  readonly revocations: Step<{ readonly state: 'UNLINKED'; readonly revokedAt: string }>
  readonly known: ReturnType<typeof openLinkedConsents>
}

const linking_ms_usually = 600_000
const attempts_max = 3

export function openLinking(options: LinkingOptions): Linking {
  const { link, silence_ms } = options
  const known = openLinkedConsents(options.consents ?? [], options.onConsent ?? (() => undefined))
  const parts: Parts = {
    ...options,
    requests: openQuestions(link, silence_ms),
    grants: openQuestions(link, silence_ms),
    credentials: openQuestions(link, silence_ms),
    revocations: openQuestions(link, silence_ms),
    known,
  }
  return {
    link: (order) => linkAccounts(parts, order),
    unlink: sharing((consentId) => unlink(parts, consentId)),
    consents: () => known.values(),
    hearers: {
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

async function linkAccounts(parts: Parts, order: LinkOrder): Promise<LinkResult> {
  const { consentRequestId = randomUUID(), patience_ms = linking_ms_usually } = order
  const course: Course = {
    order: { ...order, consentRequestId },
    deadline_ms: Date.now() + patience_ms,
    ms: 0,
  }
  const end = await follow(parts, course)
  return { consentRequestId, ms: tenths(course.ms), ...end }
}

type WithId = LinkOrder & { readonly consentRequestId: string }

interface Course {
  readonly order: WithId
  readonly deadline_ms: number
  ms: number
}

type WithoutCommon<End> = End extends unknown ? Omit<End, 'consentRequestId' | 'ms'> : never
type LinkEnd = WithoutCommon<LinkResult>

async function follow(parts: Parts, course: Course): Promise<LinkEnd> {
  const { order } = course
  const asked = await ask(parts, course)
  if (asked.state !== 'ASKED') return failed('request', asked)
  const granted = await authenticated(parts, course, asked)
  if (granted.state === 'DECLINED' || granted.state === 'FAILED') return granted
  const { consentId, written, scopes } = granted
  const { consentRequestId, dfspId } = order
  const consent = { consentId, consentRequestId, dfspId, scopes }
  parts.known.put({ ...consent, state: 'GRANTED', credential: undefined })
  const challenge = consentChallenge({ consentId, scopes: written })
  const credential = await order.createCredential({ consentId, scopes, challenge })
  if (credential === undefined) return { state: 'DECLINED', leg: 'credential', consentId }
  const ended = await register(parts, course, { consentId, written, credential })
  if (ended.state !== 'VERIFIED') return { ...failed('credential', ended), consentId }
  parts.known.put({ ...consent, state: 'VERIFIED', credential })
  return { state: 'LINKED', consentId, scopes }
}

async function ask({ requests, name, patience_ms }: Parts, course: Course) {
  const { consentRequestId, dfspId, userId, scopes, channels, callbackUri } = course.order
  const body = {
    consentRequestId,
    userId,
    scopes,
    authChannels: channels,
    ...(callbackUri === undefined ? {} : { callbackUri }),
  }
  // The same request again is answered the same.
  const request = () => writeMessage('POST', '/consentRequests', { from: name, to: dfspId }, body)
  const until_ms = Date.now() + patience_ms
  const ended = await requests.ask({
    key: consentRequestId,
    request: request(),
    until_ms,
    reminder: request,
    deadline_ms: until_ms,
    context: { dfspId },
  })
  course.ms += ended.ms
  return ended
}

type Granted = Extract<Parameters<Parts['grants']['answer']>[1], { readonly state: 'GRANTED' }>

/** A token that was wrong may be given again, as long as the DFSP takes it. */
async function authenticated(
  { grants, name, patience_ms }: Parts,
  course: Course,
  { channel, authUri }: { readonly channel: Channel; readonly authUri: string | undefined },
): Promise<Granted | Extract<LinkEnd, { readonly state: 'FAILED' | 'DECLINED' }>> {
  const { consentRequestId, dfspId, authenticate } = course.order
  const leg = 'authentication'
  const path = `/consentRequests/${consentRequestId}`
  for (let attempt = 1; ; attempt += 1) {
    const authToken = await authenticate({ consentRequestId, channel, authUri, attempt })
    if (authToken === undefined) return { state: 'DECLINED', leg }
    const request = () => writeMessage('PATCH', path, { from: name, to: dfspId }, { authToken })
    const until_ms = Math.min(course.deadline_ms, Date.now() + patience_ms)
    const ended = await grants.ask({
      key: consentRequestId,
      request: request(),
      until_ms,
      reminder: request,
      deadline_ms: until_ms,
      context: { dfspId },
    })
    course.ms += ended.ms
    if (ended.state === 'GRANTED') return ended
    const isWrong = ended.state === 'FAILED' && ended.error.errorCode === '6203'
    if (!isWrong || attempt === attempts_max) return failed(leg, ended)
  }
}

async function register(
  { credentials, name, patience_ms }: Parts,
  course: Course,
  own: {
    readonly consentId: string
    readonly written: readonly unknown[]
    readonly credential: Credential
  },
) {
  const { consentId, written, credential } = own
  const { dfspId } = course.order
  const body = {
    scopes: written,
    credential: { ...credential, status: 'PENDING' },
    status: 'ISSUED',
  }
  const route = { from: name, to: dfspId }
  const request = () => writeMessage('PUT', `/consents/${consentId}`, route, body)
  // The DFSP asks the auth service in turn, and may be patient for as long.
  const until_ms = Date.now() + 2 * patience_ms
  const ended = await credentials.ask({
    key: consentId,
    request: request(),
    until_ms,
    reminder: request,
    deadline_ms: until_ms,
    context: { dfspId },
  })
  course.ms += ended.ms
  return ended
}

function failed(
  leg: LinkingLeg,
  { error }: { readonly error?: ErrorInformation | undefined },
): Extract<LinkEnd, { readonly state: 'FAILED' }> {
  const silence = errorInformation('2004', `nobody answered the ${leg} in time`)
  return { state: 'FAILED', leg, error: error ?? silence }
}

/** Goes to the DFSP; whoever holds the consent answers, to both. */
function unlink(
  { revocations, known, name, patience_ms }: Parts,
  consentId: string,
): Promise<UnlinkResult> {
  const consent = known.get(consentId)
  if (consent === undefined) {
    return Promise.resolve({ state: 'FAILED', error: errorInformation('6103'), ms: 0 })
  }
  const { dfspId } = consent
  const route = { from: name, to: dfspId }
  const request = () => writeMessage('DELETE', `/consents/${consentId}`, route)
  const until_ms = Date.now() + patience_ms
  return revocations.ask({
    key: consentId,
    request: request(),
    until_ms,
    reminder: request,
    deadline_ms: until_ms,
    context: { dfspId },
  })
}

function takeChannel({ requests }: Parts, message: Received): Hearing {
  const id = idOf(message)
  const asked = requests.open(id)
  if (asked === undefined) return 'NOT_MINE'
  if (message.source !== asked.dfspId) return { disbelieved: `${message.source} was not asked` }
  const reading = bodyOf(putConsentRequests, message)
  if (!reading.ok) return { disbelieved: reading.detail }
  const { authChannels, authUri } = reading.value
  const [channel] = authChannels.map((each) => each.toUpperCase())
  if (channel !== 'WEB' && channel !== 'OTP') return { disbelieved: '/authChannels: unknown' }
  if (channel === 'WEB' && authUri === undefined) return { disbelieved: '/authUri: missing' }
  requests.answer(id, { state: 'ASKED', channel, authUri })
  return 'HEARD'
}

function takeGrant({ grants }: Parts, message: Received): Hearing {
  const reading = bodyOf(postConsents, message)
  if (!reading.ok) return { disbelieved: reading.detail }
  const { consentId, consentRequestId, status } = reading.value
  if (status !== 'ISSUED') return { disbelieved: '/status: not ISSUED' }
  const asked = consentRequestId === undefined ? undefined : grants.open(consentRequestId)
  if (asked === undefined || consentRequestId === undefined) return 'NOT_MINE'
  if (message.source !== asked.dfspId) return { disbelieved: `${message.source} was not asked` }
  const { scopes: written } = reading.json as { readonly scopes: readonly unknown[] }
  const scopes = readScopes(reading.value.scopes)
  grants.answer(consentRequestId, { state: 'GRANTED', consentId, written, scopes })
  return 'HEARD'
}

/** The final consent, as a whole or as the change that it is. */
function takeVerified({ credentials }: Parts, message: Received): Hearing {
  const id = idOf(message)
  const asked = credentials.open(id)
  if (asked === undefined) return 'NOT_MINE'
  if (message.source !== asked.dfspId) return { disbelieved: `${message.source} was not asked` }
  const reading = bodyOf(putConsents, message)
  if (!reading.ok) return { disbelieved: reading.detail }
  if (reading.value.credential?.status !== 'VERIFIED') {
    return { disbelieved: '/credential/status: not VERIFIED' }
  }
  credentials.answer(id, { state: 'VERIFIED' })
  return 'HEARD'
}

function takeChange({ known, credentials, revocations, authService }: Parts, message: Received) {
  const id = idOf(message)
  const consent = known.get(id)
  if (consent === undefined) return 'NOT_MINE'
  const { source } = message
  if (source !== consent.dfspId && source !== authService) {
    return { disbelieved: `${source} has no part in the consent` }
  }
  const reading = bodyOf(patchConsents, message)
  if (!reading.ok) return { disbelieved: reading.detail }
  const { status, revokedAt = new Date().toISOString(), credential } = reading.value
  if (status === 'REVOKED') {
    if (consent.state !== 'REVOKED') known.put({ ...consent, state: 'REVOKED' })
    revocations.answer(id, { state: 'UNLINKED', revokedAt })
  } else if (credential?.status === 'VERIFIED' && source === consent.dfspId) {
    credentials.answer(id, { state: 'VERIFIED' })
  }
  return 'HEARD'
}

function takeError(
  { hubName, authService }: Parts,
  message: Received,
  steps: readonly Pick<Step<never>, 'open' | 'answer'>[],
): Hearing {
  const id = idOf(message)
  const step = steps.find((each) => each.open(id) !== undefined)
  const asked = step?.open(id)
  if (step === undefined || asked === undefined) return 'NOT_MINE'
  if (![asked.dfspId, hubName, authService].includes(message.source)) {
    return { disbelieved: `${message.source} has no part in it` }
  }
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return { disbelieved: reading.detail }
  step.answer(id, { state: 'FAILED', error: informationIn(reading.value) })
  return 'HEARD'
}
