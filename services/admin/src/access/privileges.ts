/**
 * Which privilege each operation asks for. A group of routes is guarded as a whole where the contents
 * page names it, and an operation that nobody has guarded cannot be served: it does not compile.
 */
import { privilegeOfCall } from '@causeway/events'
import type { Operation } from '../operation.ts'

export interface GuardedOperation extends Operation {
  /** A privilege; or OPEN: nobody is asked; or SIGNED_IN: any operator, whatever he may do. */
  readonly privilege: string
  /** Of a decision about a request: what is needed in the place of `privilege` to reject it. */
  readonly toReject?: string
  /** After it, what the guard knows of tokens and roles may not be true any more. */
  readonly changesAccess: boolean
}

/** Nobody is asked who he is. */
export const open = 'OPEN'
/** Any operator with a token, also one who must change his password first. */
export const signedIn = 'SIGNED_IN'

/** To see needs VIEW_<area>, unless something else is said; to change MANAGE_<area>. */
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
 * Changes that two people make: `/GetPending…` needs VIEW_PENDING, `/Approve…` APPROVE_<change> or, to
 * reject, REJECT_<change>, another `/Get…` VIEW_PARTICIPANTS, and whatever else CREATE_<change>.
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

/** Each that lets a caller in; what the body asks for may need one of them in particular. */
export function privilegesToAsk({ privilege, toReject }: GuardedOperation): readonly string[] {
  return toReject === undefined ? [privilege] : [privilege, toReject]
}

/** What is needed for what the body asks for. */
export function privilegeFor(operation: GuardedOperation, body: unknown): string {
  const { privilege, toReject = privilege } = operation
  const isRejection =
    typeof body === 'object' && body !== null && 'decision' in body && body.decision === 'REJECT'
  return isRejection ? toReject : privilege
}

/** Each privilege that some operation asks for, once. */
export function privilegesOf(operations: readonly GuardedOperation[]): readonly string[] {
  const all = operations.flatMap(privilegesToAsk)
  return [...new Set(all)].filter((one) => one !== open && one !== signedIn).toSorted()
}

/** Who owns them; raised with every privilege that joins or goes. */
export const privilegeSet = { boundedContextName: 'admin', privilegeSetVersion: '1.1.0' } as const

/** What a list of privileges grants: each names one, or with a star at its end all that begin so. */
export function grants(granted: readonly string[], privilege: string): boolean {
  return granted.some((one) =>
    one.endsWith('*') ? privilege.startsWith(one.slice(0, -1)) : one === privilege,
  )
}
