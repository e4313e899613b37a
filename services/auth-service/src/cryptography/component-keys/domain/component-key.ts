/** Keys of components: who may register one, and what becomes of a registration. */
import { serviceNames } from '@causeway/services'
import { refuse, type RefusedCommand } from '../../../domain/refusal.ts'

export interface NewComponentKey {
  /** RFC 7638. */
  readonly id: string
  /** The component that signs with it. */
  readonly contextId: string
  /** PEM. */
  readonly publicKey: string
}

export interface RegisteredKey extends NewComponentKey {
  readonly registeredAt: Date
  /** Null: it is in force. */
  readonly revoked: { readonly at: Date; readonly by: string } | null
}

/** Of a component, in force at the same time. */
export const componentKeys_max = 64

const contextPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/**
 * A service registers its own key, as its certificate proves; where all services are one process there
 * are no certificates. A program of the operator registers a key under its own name, never under that
 * of a service.
 *
 * @param actor the program; empty: the calling service
 * @param callers the services that the certificate names; undefined: no certificates are used
 */
export function ownerFault(
  contextId: string,
  actor: string,
  callers: readonly string[] | undefined,
): RefusedCommand | undefined {
  const names: readonly string[] = serviceNames
  if (!contextPattern.test(contextId)) {
    return refuse('INVALID', 'boundedContextId must have 1 to 64 letters, digits, _ and -')
  }
  if (actor === '') {
    return callers === undefined || callers.includes(contextId)
      ? undefined
      : refuse('NOT_OWNER', `${callers.join()} may not register a key of ${contextId}`)
  }
  const isOwn = actor === contextId && !names.includes(contextId)
  return isOwn ? undefined : refuse('NOT_OWNER', `${actor} may not register a key of ${contextId}`)
}

export type ComponentKeyRegistration =
  | { readonly type: 'ADD'; readonly key: RegisteredKey }
  | { readonly type: 'KNOWN'; readonly key: RegisteredKey }
  | RefusedCommand

/** @param inForce how many keys of the component are in force */
export function registerKey(
  known: RegisteredKey | undefined,
  inForce: number,
  wanted: NewComponentKey,
  now: Date,
): ComponentKeyRegistration {
  if (known !== undefined) {
    if (known.contextId !== wanted.contextId) {
      return refuse('KEY_EXISTS', `another component has registered the key ${wanted.id}`)
    }
    return known.revoked === null
      ? { type: 'KNOWN', key: known }
      : refuse('KEY_REVOKED', `the key ${wanted.id} was revoked: use a new one`)
  }
  if (inForce >= componentKeys_max) {
    return refuse('INVALID', `${componentKeys_max} keys of ${wanted.contextId} are in force`)
  }
  return { type: 'ADD', key: { ...wanted, registeredAt: now, revoked: null } }
}
