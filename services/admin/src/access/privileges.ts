/**
 * Which privilege each operation asks for. A group of routes is guarded as a whole where the contents
 * page names it, and an operation that nobody has guarded cannot be served: it does not compile.
 */
import type { Operation } from '../operation.ts'

export interface GuardedOperation extends Operation {
  /** A privilege; or OPEN: nobody is asked; or SIGNED_IN: any operator, whatever he may do. */
  readonly privilege: string
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
 * Changes that two people make: `/GetPending…` needs VIEW_PENDING, `/Approve…` APPROVE_<change>, another
 * `/Get…` VIEW_PARTICIPANTS, and whatever else CREATE_<change>.
 */
export function fourEyes(operations: readonly Operation[]): readonly GuardedOperation[] {
  return operations.map((operation) => ({
    ...operation,
    privilege: fourEyesPrivilege(operation.path),
    changesAccess: false,
  }))
}

function fourEyesPrivilege(path: string): string {
  const name = path.split('/')[1] ?? ''
  if (name.startsWith('GetPending')) return 'VIEW_PENDING'
  if (name.startsWith('Get')) return 'VIEW_PARTICIPANTS'
  const change = name.replace(/^(Approve|Create)/, '')
  const words = change.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
  return `${name.startsWith('Approve') ? 'APPROVE' : 'CREATE'}_${words}`
}

/** Each privilege that some operation asks for, once. */
export function privilegesOf(operations: readonly GuardedOperation[]): readonly string[] {
  const all = operations.map(({ privilege }) => privilege)
  return [...new Set(all)].filter((one) => one !== open && one !== signedIn).toSorted()
}

/** Who owns them; raised with every privilege that joins or goes. */
export const privilegeSet = { boundedContextName: 'admin', privilegeSetVersion: '1.0.0' } as const

/** What a list of privileges grants: each names one, or with a star at its end all that begin so. */
export function grants(granted: readonly string[], privilege: string): boolean {
  return granted.some((one) =>
    one.endsWith('*') ? privilege.startsWith(one.slice(0, -1)) : one === privilege,
  )
}
