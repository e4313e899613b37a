/** Audits a change of keys, credentials, operators or roles in its transaction. */
import type { EventBus } from '@causeway/bus'
import { auditEntry, type AuditedAction } from '@causeway/events'
import type { Transaction } from '@causeway/postgres'

export function record(bus: EventBus, tx: Transaction, action: AuditedAction): void {
  bus.announce(tx, [auditEntry('auth-service', action)])
}
