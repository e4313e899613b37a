/** Operators of the hub: validation of names, e-mail addresses, passwords and changes. */
import { grants } from '@causeway/services/privileges'
import { refuse, type RefusedCommand } from '../../../domain/refusal.ts'

export type Kind = 'PERSON' | 'MACHINE'

export interface Operator {
  readonly name: string
  readonly kind: Kind
  readonly isActive: boolean
  readonly mustChange: boolean
  /** Sorted. */
  readonly roles: readonly string[]
  /** Address for requests and decisions; null: none. */
  readonly email: string | null
  readonly version: number
  /** Wrong passwords in a row, from the address with the most of them. */
  readonly attempts: number
  readonly attemptsSince: Date
  readonly lastLogInAt: Date | null
  readonly createdAt: Date
  readonly createdBy: string
  /** When the program that sets up the hub loses its rights to change it; null: never. */
  readonly endsAt: Date | null
  /** Who the OpenID provider means; null: not bound yet. */
  readonly oidcIssuer: string | null
  readonly oidcSubject: string | null
}

export interface Role {
  readonly id: string
  readonly label: string
  readonly description: string
  readonly privileges: readonly string[]
  readonly isBuiltIn: boolean
}

export const password_length_min = 12
export const secret_length_max = 256

/** Lower case, so that no two names differ only by case. */
export function isOperatorName(text: string): boolean {
  return /^[a-z0-9][a-z0-9._@-]{0,62}[a-z0-9]$/.test(text)
}

/**
 * Length is the criterion (NIST SP 800-63B); the name and the old password are excluded because
 * they are known.
 */
export function passwordFault(
  name: string,
  password: string,
  old: string,
): RefusedCommand | undefined {
  if (password.length < password_length_min || password.length > secret_length_max) {
    return refuse(
      'INVALID',
      `a password must have ${password_length_min} to ${secret_length_max} characters`,
    )
  }
  if (password === old) return refuse('INVALID', 'the new password must differ from the old one')
  if (password.toLowerCase().includes(name)) {
    return refuse('INVALID', 'the password must not contain the name')
  }
  if (new Set(password).size < 5) return refuse('INVALID', 'the password is too simple')
  return undefined
}

export interface OperatorChange {
  readonly isActive: boolean
  readonly roles: readonly string[]
}

/** Whether the change would leave no person that may manage operators. */
export function leavesNoAdministrator(
  operators: readonly Operator[],
  roles: readonly Role[],
  name: string,
  change: OperatorChange,
): boolean {
  const privilegesOf = new Map(roles.map(({ id, privileges }) => [id, privileges]))
  const isInCharge = ({
    kind,
    isActive,
    roles: own,
  }: Pick<Operator, 'kind' | keyof OperatorChange>) =>
    kind === 'PERSON' &&
    isActive &&
    own.some((role) => grants(privilegesOf.get(role) ?? [], 'MANAGE_OPERATORS'))
  const after = operators.map((operator) =>
    operator.name === name ? { ...operator, ...change } : operator,
  )
  return operators.some(isInCharge) && !after.some(isInCharge)
}

/** The entries of these roles. */
export function privilegesOf(
  roles: readonly Pick<Role, 'id' | 'privileges'>[],
  ids: readonly string[],
): readonly string[] {
  return roles.filter(({ id }) => ids.includes(id)).flatMap(({ privileges }) => privileges)
}

/**
 * Refuses to hand out what the actor's own roles do not permit, to oneself as well: to manage
 * operators would otherwise be every privilege.
 * @param actor undefined: callers have no identity here
 */
export function grantFault(
  actor: Pick<Operator, 'name' | 'roles'> | undefined,
  roles: readonly Pick<Role, 'id' | 'privileges'>[],
  granted: readonly string[],
): RefusedCommand | undefined {
  if (actor === undefined) return undefined
  const own = privilegesOf(roles, actor.roles)
  const lacking = granted.find((privilege) => !grants(own, privilege))
  return lacking === undefined
    ? undefined
    : refuse('PRIVILEGE_MISSING', `${actor.name} has not ${lacking} and cannot grant it`)
}

/** The operator as it is audited; never a secret. */
export function recordOf({ kind, isActive, mustChange, roles, email, oidcSubject }: Operator) {
  const isBound = oidcSubject !== null
  return { kind, isActive, mustChangePassword: mustChange, roles, email, isBound }
}
