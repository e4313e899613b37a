/** Who must have a security key, and for what. */
import type { Operator, Role } from './operator.ts'

/**
 * Of operators whose roles approve requests: `log-in` requires a key to log in, `approval` also for
 * each approval. `off`: a key is used once it is registered.
 */
export type KeyRule = 'off' | 'log-in' | 'approval'

export function mustHaveKey(
  { kind, roles: own }: Pick<Operator, 'kind' | 'roles'>,
  roles: readonly Role[],
  rule: KeyRule,
): boolean {
  if (rule === 'off' || kind === 'MACHINE') return false
  return roles.some(({ id, privileges }) => own.includes(id) && privileges.some(approves))
}

const approval = 'APPROVE_'

/** Whether the entry of a role grants some approval: 'APPROVE_MANAGE_FUNDS', 'APPROVE_*', '*'. */
function approves(privilege: string): boolean {
  if (privilege.startsWith(approval)) return true
  return privilege.endsWith('*') && approval.startsWith(privilege.slice(0, -1))
}
