/**
 * Nobody hands out more than the own roles permit: by a role, a new role of an operator, or the secret
 * of one who may do more. An attempt is audited.
 */
import type { EventBus } from '@causeway/bus'
import type { Transaction } from '@causeway/postgres'
import type { Refused } from '../domain/refusal.ts'
import { record } from '../record.ts'
import { grantFault, privilegesOf } from './domain/operator.ts'
import { allRoles } from './role-store.ts'
import { operatorsOf } from './store.ts'

export interface Grant {
  readonly actor: string
  /** In the audit log. */
  readonly action: string
  readonly subject: string
  /** The privileges that are handed out, and the roles. */
  readonly privileges?: readonly string[]
  readonly roles?: readonly string[]
}

/** Undefined: the actor may. An actor who is no operator has no identity to compare with. */
export async function refuseGrant(
  bus: EventBus,
  tx: Transaction,
  { actor, action, subject, privileges = [], roles = [] }: Grant,
): Promise<Refused | undefined> {
  const [operator] = await operatorsOf(tx, [actor])
  const known = await allRoles(tx)
  const fault = grantFault(operator, known, [...privileges, ...privilegesOf(known, roles)])
  if (fault === undefined) return undefined
  const entry = { actor, action, subject, before: null, after: null, at: new Date() }
  record(bus, tx, { ...entry, successful: false, labels: { fault: fault.detail } })
  return fault
}
