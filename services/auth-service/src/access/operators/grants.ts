/**
 * Nobody hands out more than the own roles permit: by a role, a new role of an operator, or the secret
 * of one who may do more; nor sees such a secret as the one who approves. An attempt is audited.
 */
import type { EventBus } from '@causeway/bus'
import type { Transaction } from '@causeway/postgres'
import type { RefusedCommand } from '../../domain/refusal.ts'
import { record } from '../../record.ts'
import { grantFault, privilegesOf } from './domain/operator.ts'
import { allRoles } from './role-store.ts'
import { operatorsOf } from './store.ts'

export interface Grant {
  readonly actor: string
  /** Who approved it and sees the secret. */
  readonly approver?: string | undefined
  /** In the audit log. */
  readonly action: string
  readonly subject: string
  /** The privileges that are handed out, and the roles. */
  readonly privileges?: readonly string[]
  readonly roles?: readonly string[]
}

/** Undefined: those who take part may. An actor who is no operator has no identity to compare with. */
export async function refuseGrant(
  bus: EventBus,
  tx: Transaction,
  { actor, approver, action, subject, privileges = [], roles = [] }: Grant,
): Promise<RefusedCommand | undefined> {
  const known = await allRoles(tx)
  const granted = [...privileges, ...privilegesOf(known, roles)]
  for (const name of approver === undefined ? [actor] : [actor, approver]) {
    const [operator] = await operatorsOf(tx, [name])
    const fault = grantFault(operator, known, granted)
    if (fault === undefined) continue
    const entry = { actor: name, action, subject, before: null, after: null, at: new Date() }
    record(bus, tx, { ...entry, successful: false, labels: { fault: fault.detail } })
    return fault
  }
  return undefined
}
