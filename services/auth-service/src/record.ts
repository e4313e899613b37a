/** What was done to keys, credentials, operators and roles, on record with the change itself. */
import { auditEntry, type AuditedAction } from '@causeway/events'
import type { EventBus, Transaction } from '@causeway/runtime'

export function record(bus: EventBus, tx: Transaction, action: AuditedAction): void {
  bus.announce(tx, [auditEntry('auth-service', action)])
}
