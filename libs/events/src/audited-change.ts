/** What the entry of a change in the audit log says. */
import type { EventBus } from '@causeway/bus'
import type { AuditedState } from './audit.ts'

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

/** What an audited change is about, and what it changes. */
export interface Audited {
  /** A path: `participants/greenbank`. */
  readonly subject: string
  readonly before: AuditedState | null
  readonly after: AuditedState | null
}

export function participantSubject(name: string): string {
  return `participants/${name}`
}
