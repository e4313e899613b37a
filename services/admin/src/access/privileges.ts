/**
 * The privilege that each operation requires. The table of routes guards whole groups; an operation
 * without a guard does not compile.
 */
import { privilegeOfCall } from '@causeway/events'
import type { Operation } from '../operation.ts'

export interface GuardedOperation extends Operation {
  /** A privilege; OPEN: no log-in; SIGNED_IN: any operator, whatever the roles. */
  readonly privilege: string
  /** For the decision about a request: the privilege to reject it, in place of `privilege`. */
  readonly toReject?: string
  /** The operation may change tokens or roles, so the guard reloads its policy afterwards. */
  readonly changesAccess: boolean
}

/** No log-in is required. */
export const open = 'OPEN'
/** Any operator with a token, also one that must change the password first. */
export const signedIn = 'SIGNED_IN'

/** Reading requires VIEW_<area>, unless another is given; changing requires MANAGE_<area>. */
export function guarded(
  area: string,
  operations: readonly Operation[],
  toSee = `VIEW_${area}`,
): readonly GuardedOperation[] {
  return operations.map((operation) => ({
    ...operation,
    privilege: operation.method === 'GET' ? toSee : `MANAGE_${area}`,
    changesAccess: area === 'OPERATORS' && operation.method !== 'GET',
  }))
}

/** One privilege for all of them. */
export function needs(
  privilege: string,
  operations: readonly Operation[],
): readonly GuardedOperation[] {
  return operations.map((operation) => ({
    ...operation,
    privilege,
    changesAccess: privilege === signedIn && operation.method !== 'GET',
  }))
}

/**
 * Four-eyes changes: `/GetPending…` requires VIEW_PENDING, `/Approve…` APPROVE_<change> or, to
 * reject, REJECT_<change>, another `/Get…` VIEW_PARTICIPANTS, and all others CREATE_<change>.
 */
export function fourEyes(operations: readonly Operation[]): readonly GuardedOperation[] {
  return operations.map((operation) => {
    const name = operation.path.split('/')[1] ?? ''
    return {
      ...operation,
      privilege: fourEyesPrivilege(name),
      ...(name.startsWith('Approve') ? { toReject: privilegeOfCall(name, 'REJECT') } : {}),
      changesAccess: false,
    }
  })
}

function fourEyesPrivilege(name: string): string {
  if (name.startsWith('GetPending')) return 'VIEW_PENDING'
  return name.startsWith('Get') ? 'VIEW_PARTICIPANTS' : privilegeOfCall(name)
}

/** The privileges that admit a caller; the body may require a particular one of them. */
export function privilegesToAsk({ privilege, toReject }: GuardedOperation): readonly string[] {
  return toReject === undefined ? [privilege] : [privilege, toReject]
}

/** The privilege that the body requires. */
export function privilegeFor(operation: GuardedOperation, body: unknown): string {
  const { privilege, toReject = privilege } = operation
  const isRejection =
    typeof body === 'object' && body !== null && 'decision' in body && body.decision === 'REJECT'
  return isRejection ? toReject : privilege
}

/** Each privilege that some operation requires, once. */
export function privilegesOf(operations: readonly GuardedOperation[]): readonly string[] {
  const all = operations.flatMap(privilegesToAsk)
  return [...new Set(all)].filter((one) => one !== open && one !== signedIn).toSorted()
}

/**
 * The owner of the privileges and the version of the set; raise it whenever a privilege is added or
 * removed.
 */
export const privilegeSet = { boundedContextName: 'admin', privilegeSetVersion: '1.1.0' } as const

/**
 * The privileges that a list grants: each names one, or with a star at its end all with that
 * prefix.
 */
export function grants(granted: readonly string[], privilege: string): boolean {
  return granted.some((one) =>
    one.endsWith('*') ? privilege.startsWith(one.slice(0, -1)) : one === privilege,
  )
}
