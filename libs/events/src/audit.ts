/**
 * One administrative write leaves one audit entry: the actor, the action, the subject, and its
 * state before and after. The entry is published in the transaction of the change, so there is
 * neither a change without its entry nor an entry without its change.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { OutgoingMessage } from '@causeway/bus'
import { currentOrigin, recordedActor } from '@causeway/process'
import { canonicalJson } from './canonical-json.ts'
import type { Payload, PublisherOf } from './catalogue/catalogue.ts'
import { newEvent } from './event.ts'

/** What can be printed as JSON; amounts and balances are decimal strings. */
type AuditedValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly AuditedValue[]
  | { readonly [member: string]: AuditedValue }

/** The subject's members that the action concerns; never a secret, a password or a private key. */
export type AuditedState = Readonly<Record<string, AuditedValue>>

export interface AuditedAction {
  /** The operator's name, or the name of the service that acted by itself; empty: 'unknown'. */
  readonly actor: string
  /** The command in the service's words: 'UpdateParticipantState'. */
  readonly action: string
  /** What was changed, as a path: 'participants/greenbank'. */
  readonly subject: string
  /** null: it did not exist. */
  readonly before: AuditedState | null
  /** null: it no longer exists, or the action was refused. */
  readonly after: AuditedState | null
  readonly at: Date
  /** false for an attempt that is on record though it was refused; true when left out. */
  readonly successful?: boolean
  /** Further facts to find the entry by, such as the id of the request. */
  readonly labels?: Readonly<Record<string, string>>
  /** Labels and members of `before` and `after` that only a privilege of its own may read. */
  readonly confidential?: readonly string[]
  /** A `derivedId` where the step may be repeated with the same cause; else a new one. */
  readonly id?: string
}

export type AuditPayload = Payload<'/audit-log-write'>

/** The event `/audit-log-write`, ready for `announce` together with the change itself. */
export function auditEntry(
  source: PublisherOf<'/audit-log-write'>,
  entry: AuditedAction,
): OutgoingMessage {
  const id = entry.id ?? randomUUID()
  const payload: AuditPayload = {
    id,
    actionTimestamp: entry.at.toISOString(),
    sourceBcName: source,
    sourceAppName: 'causeway',
    sourceAppVersion: '1',
    ...originOf(source, recordedActor(entry.actor)),
    actionType: entry.action,
    actionSuccessful: entry.successful ?? true,
    labels: Object.entries(entry.labels ?? {}).map(([key, value]) => ({ key, value })),
    subject: entry.subject,
    before: entry.before,
    after: entry.after,
    ...(entry.confidential === undefined ? {} : { confidential: entry.confidential }),
  }
  return newEvent(source, '/audit-log-write', payload, { id })
}

type OriginFacts = Pick<AuditPayload, 'callerNetworkSources' | 'securityContext'>

const host = { family: 'HOST', address: hostname() }

/**
 * Role, application and network address of the actor. What a service does by itself comes from its own
 * host; an action that is finished later, after a crash for example, has the name of its actor alone.
 */
function originOf(source: string, userId: string): OriginFacts {
  const origin = currentOrigin()
  // The request of a log-in has no name yet. Another name is that of another request.
  if (origin !== undefined && ['', userId].includes(origin.actor)) {
    const { kind, application, roles, session, address } = origin
    const appId = kind === 'PROGRAM' ? userId : application
    const role = roles.length === 0 ? {} : { role: roles.join(',') }
    const sessionId = session === '' ? {} : { sessionId: session }
    return {
      callerNetworkSources: address === '' ? [] : [{ family: familyOf(address), address }],
      securityContext: { userId, appId, ...role, ...sessionId },
    }
  }
  return {
    callerNetworkSources: [host],
    securityContext: userId === source ? { userId, appId: source, role: 'component' } : { userId },
  }
}

function familyOf(address: string): string {
  return address.includes(':') ? 'IPv6' : 'IPv4'
}

/** What the source signs: the entry without its signature. */
export function signedContentOf(payload: AuditPayload): Buffer {
  const { sourceSignature: _, ...entry } = payload
  return Buffer.from(canonicalJson(entry))
}
