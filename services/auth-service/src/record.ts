/** Audits a change of keys, credentials, operators or roles in its transaction. */
import { auditEntry, type AuditedAction } from '@causeway/events'
import type { EventBus, Transaction } from '@causeway/runtime'

export function record(bus: EventBus, tx: Transaction, action: AuditedAction): void {
  bus.announce(tx, [auditEntry('auth-service', action)])
}
