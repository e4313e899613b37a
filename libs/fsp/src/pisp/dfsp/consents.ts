/**
 * A DFSP's consents after the grant: the user's key is verified, and each account in the scopes is
 * linked in the scheme; the user, the PISP or the DFSP may end a consent. Third-Party API 1.0,
 * linking, sections 1.6 and 2.
 */
import { type ErrorInformation, errorInformation, putConsents } from '@causeway/fspiop'
import type { HubLink } from '../../hub/link.ts'
import {
  bodyOf,
  type InboundHandlers,
  type HandlerResult,
  idOf,
  type Received,
} from '../../inbound.ts'
import { type Outgoing, writeMessage } from '../../message.ts'
import type { Associations } from '../../parties/associations.ts'
import { readCredential, readScopes } from '../consent.ts'
import { singleFlight } from '../single-flight.ts'
import type { AuthService } from './auth-service.ts'
import {
  judgeCredential,
  type Link,
  revoked,
  verified,
  withCredential,
  withoutCredential,
} from './link.ts'
import type { Links } from './links.ts'
import type { KeyRegistration, Verifier } from './verifier.ts'

export interface ConsentsOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly links: Links
  readonly associations: Pick<Associations, 'associate' | 'disassociate'>
  readonly verifier: Verifier
  /** Undefined: the DFSP verifies signatures itself, and no auth service holds its consents. */
  readonly authService: { readonly name: string; readonly messages: AuthService } | undefined
  readonly answerTimeout_ms: number
}

export interface Consents {
  /** Ends a consent for the DFSP or its user; undefined: it has ended already. */
  unlink(consentId: string): Promise<ErrorInformation | undefined>
  readonly handlers: Pick<
    InboundHandlers,
    | 'PUT /consents/{ID}'
    | 'PATCH /consents/{ID}'
    | 'DELETE /consents/{ID}'
    | 'PUT /consents/{ID}/error'
  >
}

export function openConsents(options: ConsentsOptions): Consents {
  const { links, authService, hubName } = options
  return {
    unlink: singleFlight((consentId) => unlink(options, consentId)),
    handlers: {
      'PUT /consents/{ID}'(message) {
        return message.source === authService?.name
          ? authService.messages.takeRegistered(message)
          : takeCredential(options, message)
      },
      'PATCH /consents/{ID}'(message) {
        if (authService === undefined || message.source !== authService.name) {
          return { rejected: `${message.source} cannot revoke a consent of this DFSP` }
        }
        const taken = authService.messages.takeRevoked(message)
        if (typeof taken === 'string' || 'rejected' in taken) return taken
        const link = links.get(idOf(message))
        if (link !== undefined) void end(options, link, taken.revokedAt)
        return 'HANDLED'
      },
      'DELETE /consents/{ID}'(message) {
        void takeUnlinking(options, message)
        return 'HANDLED'
      },
      'PUT /consents/{ID}/error'(message) {
        const { source } = message
        if (authService === undefined) return 'NOT_MINE'
        if (source !== authService.name && source !== hubName) return 'NOT_MINE'
        return authService.messages.takeError(message)
      },
    },
  }
}

async function unlink(
  options: ConsentsOptions,
  consentId: string,
): Promise<ErrorInformation | undefined> {
  const { links, authService } = options
  const link = links.get(consentId)
  if (link === undefined) return errorInformation('6103')
  if (link.state === 'REVOKED') return undefined
  if (authService === undefined || link.state === 'GRANTED') {
    const revokedAt = new Date().toISOString()
    void end(options, link, revokedAt)
    await send(options, revocationMessage(options, link, revokedAt))
    return undefined
  }
  const revokedAt = await options.verifier.revoke(link)
  if (typeof revokedAt !== 'string') return revokedAt
  void end(options, link, revokedAt)
  return undefined
}

function takeCredential(options: ConsentsOptions, message: Received): HandlerResult {
  const reading = bodyOf(putConsents, message)
  if (!reading.ok) return { rejected: reading.detail }
  const credential = reading.value.credential && readCredential(reading.value.credential)
  if (credential === undefined) return { rejected: '/credential: its payload is missing' }
  if (reading.value.scopes === undefined) return { rejected: '/scopes: missing' }
  const { links } = options
  const { source } = message
  const consentId = idOf(message)
  const link = links.get(consentId)
  const scopes = readScopes(reading.value.scopes)
  const decision = judgeCredential(link, source, credential, scopes)
  switch (decision.type) {
    case 'REFUSE':
      void send(options, refusalMessage(options, source, consentId, decision.error))
      break
    case 'CHECK':
      if (link !== undefined) void check(options, withCredential(link, credential))
      break
    case 'CONFIRM':
      if (link !== undefined) void send(options, confirmation(options, link))
      break
    case 'WAIT':
      break
  }
  return 'HANDLED'
}

/** The PISP is informed only whether the key is good for payments. */
async function check(options: ConsentsOptions, link: Link): Promise<void> {
  const { links } = options
  const { consentId, pispId } = link
  links.put(link)
  if (link.state !== 'CHECKING') return
  const registration = await registered(options, link)
  const now = links.get(consentId) ?? link
  if ('error' in registration) {
    links.put(withoutCredential(now))
    await send(options, refusalMessage(options, pispId, consentId, visible(registration.error)))
    return
  }
  const done = verified(now, registration.key, Date.now())
  links.put(done)
  // It may have been revoked in the meantime.
  if (done.state === 'REVOKED') await removeUnused(options, done)
  await send(options, confirmation(options, done))
}

async function registered(
  options: ConsentsOptions,
  link: Link & { readonly state: 'CHECKING' },
): Promise<KeyRegistration> {
  const registration = await options.verifier.register(link)
  if ('error' in registration) return registration
  const error = await associate(options, link)
  return error === undefined ? registration : { error }
}

/** Only a wrong key is reported to the PISP; other failures of the DFSP's requests are not. */
function visible(error: ErrorInformation): ErrorInformation {
  return errorInformation(error.errorCode === '6200' ? '6200' : '6003')
}

/** Each account in the scopes can be looked up at this DFSP from now on. */
async function associate(
  { associations }: ConsentsOptions,
  { scopes }: Link,
): Promise<ErrorInformation | undefined> {
  const results = await Promise.all(
    scopes.map(({ address: id }) => associations.associate({ type: 'THIRD_PARTY_LINK', id })),
  )
  const failed = results.find(({ state }) => state !== 'DONE')
  if (failed === undefined || failed.state === 'DONE') return undefined
  return failed.error ?? errorInformation('2004')
}

/**
 * The consent is invalid from now on; its accounts' links in the scheme are removed shortly after.
 */
async function end(options: ConsentsOptions, link: Link, revokedAt: string): Promise<void> {
  const { links } = options
  const known = links.get(link.consentId)
  if (known === undefined || known.state === 'REVOKED') return
  links.put(revoked(known, revokedAt))
  if (known.state === 'VERIFIED') await removeUnused(options, known)
}

/** An account in another consent keeps its link in the scheme. */
async function removeUnused({ links, associations }: ConsentsOptions, { scopes }: Link) {
  const isUsed = ({ state }: Link) => state === 'CHECKING' || state === 'VERIFIED'
  const unused = scopes.filter(({ address }) => ![...links.ofAddress(address)].some(isUsed))
  await Promise.all(
    unused.map(({ address: id }) => associations.disassociate({ type: 'THIRD_PARTY_LINK', id })),
  )
}

/**
 * Handles only consents that no auth service holds; the owner and the PISP may end such a consent.
 */
async function takeUnlinking(options: ConsentsOptions, message: Received): Promise<void> {
  const { links } = options
  const { source } = message
  const id = idOf(message)
  const link = links.get(id)
  if (link === undefined || link.pispId !== source) {
    const error = errorInformation(link === undefined ? '6103' : '6104')
    await send(options, refusalMessage(options, source, id, error))
    return
  }
  const revokedAt = link.state === 'REVOKED' ? link.revokedAt : new Date().toISOString()
  void end(options, link, revokedAt)
  await send(options, revocationMessage(options, link, revokedAt))
}

function confirmation({ name }: ConsentsOptions, link: Link): Outgoing {
  if (link.state !== 'VERIFIED') {
    return refusalMessage({ name }, link.pispId, link.consentId, errorInformation('6103'))
  }
  const { consentId, pispId, scopes, credential } = link
  return writeMessage(
    'PUT',
    `/consents/${consentId}`,
    { from: name, to: pispId },
    { scopes, credential: { ...credential, status: 'VERIFIED' }, status: 'ISSUED' },
  )
}

function revocationMessage({ name }: ConsentsOptions, link: Link, revokedAt: string): Outgoing {
  const route = { from: name, to: link.pispId }
  const body = { status: 'REVOKED', revokedAt }
  return writeMessage('PATCH', `/consents/${link.consentId}`, route, body)
}

function refusalMessage(
  { name }: Pick<ConsentsOptions, 'name'>,
  pispId: string,
  consentId: string,
  error: ErrorInformation,
): Outgoing {
  const route = { from: name, to: pispId }
  return writeMessage('PUT', `/consents/${consentId}/error`, route, { errorInformation: error })
}

async function send({ link, answerTimeout_ms }: ConsentsOptions, message: Outgoing): Promise<void> {
  await link.sendUntil(message, Date.now() + answerTimeout_ms)
}
