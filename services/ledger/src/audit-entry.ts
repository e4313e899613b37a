/** Audit entries, published in the transaction of the change. */
import type { EventBus } from '@causeway/bus'
import { auditEntry, type AuditedState } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'

/** The part of the bus that publishes in a transaction. */
export type Announcer = Pick<EventBus, 'announce'>

/** Actor and action of an audit entry. */
export interface By {
  /** The operator, or the service that acts on its own; empty: unknown. */
  readonly actor: string
  /** The command by its name in the interface. */
  readonly action: string
  readonly labels?: Readonly<Record<string, string>>
}

/** One audited change. */
export interface Audited {
  /** A path: `participants/greenbank`. */
  readonly subject: string
  readonly before: AuditedState | null
  readonly after: AuditedState | null
}

/** One entry, in the transaction of the change. */
export function announceAudit(bus: Announcer, tx: Transaction, by: By, audited: Audited): void {
  bus.announce(tx, [auditEntry('participant-lifecycle', { ...by, ...audited, at: new Date() })])
}

export function subjectOf(name: string): string {
  return `participants/${name}`
}
