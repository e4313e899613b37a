/**
 * The privilege that each operation requires. The table of routes guards whole groups; an operation
 * without a guard does not compile.
 */
import { privilegeOfCall } from '@causeway/events'
import type { Operation } from '../operation.ts'

export interface GuardedOperation extends Operation {
  /** A privilege; OPEN: no log-in; SIGNED_IN: any operator, whatever the roles. */
  readonly privilege: string
  /** Some bodies require another privilege in place of `privilege`. */
  readonly other?: OtherPrivilege
  /** The operation may change tokens or roles, so the guard reloads its policy afterwards. */
  readonly changesAccess: boolean
}

interface OtherPrivilege {
  readonly privilege: string
  /** What those bodies are for: 'to reject'. */
  readonly purpose: string
  readonly applies: (body: unknown) => boolean
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
      ...(name.startsWith('Approve') ? { other: toReject(name) } : {}),
      changesAccess: false,
    }
  })
}

/** Each requires a privilege of its own, `/hash-gen` RUN_HASH_GEN; reading requires VIEW_<name>. */
export function named(operations: readonly Operation[]): readonly GuardedOperation[] {
  return operations.map((operation) => {
    const name = operation.path.slice(1).toUpperCase().replaceAll('-', '_')
    const privilege = `${operation.method === 'GET' ? 'VIEW' : 'RUN'}_${name}`
    return { ...operation, privilege, changesAccess: false }
  })
}

function toReject(call: string): OtherPrivilege {
  return {
    privilege: privilegeOfCall(call, 'REJECT'),
    purpose: 'to reject',
    applies: (body) => memberOf(body, 'decision') === 'REJECT',
  }
}

/**
 * Components register what can be set with REGISTER_CONFIGURATION; operators see it with
 * VIEW_CONFIGURATION and request other values with CREATE_<change>.
 */
export function guardedConfiguration(
  change: string,
  operations: readonly Operation[],
): readonly GuardedOperation[] {
  const register = 'REGISTER_CONFIGURATION'
  return operations.map((operation) => {
    const unchanging = { ...operation, changesAccess: false }
    if (operation.method === 'GET') return { ...unchanging, privilege: 'VIEW_CONFIGURATION' }
    if (operation.variables.length === 0) return { ...unchanging, privilege: register }
    const other: OtherPrivilege = {
      privilege: privilegeOfCall(change),
      purpose: 'to request other values',
      applies: (body) => memberOf(body, 'newValues') !== undefined,
    }
    return { ...unchanging, privilege: register, other }
  })
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null
    ? (body as Readonly<Record<string, unknown>>)[name]
    : undefined
}

function fourEyesPrivilege(name: string): string {
  if (name.startsWith('GetPending')) return 'VIEW_PENDING'
  return name.startsWith('Get') ? 'VIEW_PARTICIPANTS' : privilegeOfCall(name)
}

/** The privileges that admit a caller; the body may require a particular one of them. */
export function privilegesToAsk({ privilege, other }: GuardedOperation): readonly string[] {
  return other === undefined ? [privilege] : [privilege, other.privilege]
}

/** The privilege that the body requires. */
export function privilegeFor({ privilege, other }: GuardedOperation, body: unknown): string {
  return other?.applies(body) === true ? other.privilege : privilege
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
export const privilegeSet = { boundedContextName: 'admin', privilegeSetVersion: '1.6.0' } as const
