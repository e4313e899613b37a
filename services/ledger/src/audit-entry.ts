/** Audit entries, published in the transaction of the change. */
import { auditEntry, type Announcer, type Audited, type By } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'

/** One entry, in the transaction of the change. */
export function announceAudit(bus: Announcer, tx: Transaction, by: By, audited: Audited): void {
  bus.announce(tx, [auditEntry('participant-lifecycle', { ...by, ...audited, at: new Date() })])
}
