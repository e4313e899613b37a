/**
 * One administrative write leaves one audit entry: the actor, the action, the subject, and its
 * state before and after. The entry is published in the transaction of the change, so there is
 * neither a change without its entry nor an entry without its change.
 */
import { randomUUID } from 'node:crypto'
import type { OutgoingMessage } from '@causeway/bus'
import type { PublisherOf } from './catalogue.ts'
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
  /** A `derivedId` where the step may be repeated with the same cause; else a new one. */
  readonly id?: string
}

/** The event `/audit-log-write`, ready for `announce` together with the change itself. */
export function auditEntry(
  source: PublisherOf<'/audit-log-write'>,
  entry: AuditedAction,
): OutgoingMessage {
  const id = entry.id ?? randomUUID()
  const payload = {
    id,
    actionTimestamp: entry.at.toISOString(),
    sourceBcName: source,
    sourceAppName: 'causeway',
    sourceAppVersion: '1',
    callerNetworkSources: [],
    securityContext: { userId: entry.actor === '' ? 'unknown' : entry.actor },
    actionType: entry.action,
    actionSuccessful: entry.successful ?? true,
    labels: Object.entries(entry.labels ?? {}).map(([key, value]) => ({ key, value })),
    subject: entry.subject,
    before: entry.before,
    after: entry.after,
  }
  return newEvent(source, '/audit-log-write', payload, { id })
}
