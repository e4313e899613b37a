/** Registered privileges, and the roles that grant them. */
import type { EventBus } from '@causeway/bus'
import type { Database } from '@causeway/postgres'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { record } from '../../record.ts'
import { lockNamed } from '../../lock.ts'
import { announceRole } from './announce.ts'
import { leavesNoAdministrator, type Role } from './domain/operator.ts'
import { isOlder, isPrivilegePattern, isVersion } from './domain/privilege.ts'
import { refuseGrant } from './grants.ts'
import {
  allPrivileges,
  allRoles,
  savePrivileges,
  saveRole,
  setVersionOf,
  type Privilege,
} from './role-store.ts'
import { allOperators } from './store.ts'

export interface RoleParts {
  readonly db: Database
  readonly bus: EventBus
}

const turn = 'operators'
const privileges_max = 500

export interface PrivilegeSet {
  readonly boundedContext: string
  readonly version: string
  readonly privileges: readonly Omit<Privilege, 'boundedContext'>[]
}

/** A set of a lower version comes from a replica of an older release. */
export async function registerPrivileges(
  { db }: RoleParts,
  { boundedContext, version, privileges }: PrivilegeSet,
): Promise<RefusedCommand | undefined> {
  if (!isVersion(version)) return refuse('INVALID', 'privilegeSetVersion must be MAJOR.MINOR.PATCH')
  if (privileges.length > privileges_max) {
    return refuse('INVALID', `at most ${privileges_max} privileges`)
  }
  const odd = privileges.find(({ id }) => !isPrivilegePattern(id) || id.endsWith('*'))
  if (odd !== undefined) return refuse('INVALID', `${odd.id} is not a valid privilege name`)
  return db.transaction(async (tx) => {
    await lockNamed(tx, turn)
    const known = await setVersionOf(tx, boundedContext)
    if (known !== undefined && isOlder(version, known)) {
      return refuse('SET_OUTDATED', `version ${known} of ${boundedContext} is known`)
    }
    await savePrivileges(tx, boundedContext, version, privileges)
    return undefined
  })
}

export async function setRole(
  { db, bus }: RoleParts,
  wanted: Omit<Role, 'isBuiltIn'>,
  actor: string,
): Promise<RefusedCommand | { readonly type: 'ROLE'; readonly role: Role }> {
  const { id, label, description } = wanted
  if (!/^[a-z][a-z0-9-]{0,62}[a-z0-9]$/.test(id)) {
    return refuse('INVALID', 'id must have 2 to 64 lower-case letters, digits or -')
  }
  if (label.length > 128 || description.length > 512)
    return refuse('INVALID', 'label or description is too long')
  const privileges = [...new Set(wanted.privileges)].toSorted()
  return db.transaction(async (tx) => {
    await lockNamed(tx, turn)
    const roles = await allRoles(tx)
    const before = roles.find((role) => role.id === id)
    if (before?.isBuiltIn === true) return refuse('ROLE_BUILT_IN', `${id} is a built-in role`)
    const known = new Set((await allPrivileges(tx)).map((one) => one.id))
    const unknown = privileges.find((one) => !known.has(one) && !isStarred(one))
    if (unknown !== undefined)
      return refuse('PRIVILEGE_UNKNOWN', `there is no privilege ${unknown}`)
    const role = { id, label, description, privileges, isBuiltIn: false }
    const after = [...roles.filter((one) => one.id !== id), role]
    const operators = await allOperators(tx)
    if (before !== undefined && losesAll(operators, roles, after)) {
      return refuse('LAST_ADMINISTRATOR', 'no person would be left that may manage operators')
    }
    const added = privileges.filter((one) => before?.privileges.includes(one) !== true)
    const grant = { actor, action: 'SetRole', subject: `roles/${id}`, privileges: added }
    const excess = await refuseGrant(bus, tx, grant)
    if (excess !== undefined) return excess
    const now = new Date()
    await saveRole(tx, role)
    announceRole(bus, tx, id, now)
    record(bus, tx, {
      actor,
      action: 'SetRole',
      subject: `roles/${id}`,
      before: before === undefined ? null : recordOf(before),
      after: recordOf(role),
      at: now,
    })
    return { type: 'ROLE', role }
  })
}

function isStarred(privilege: string): boolean {
  return isPrivilegePattern(privilege) && privilege.endsWith('*')
}

/** Whether the change of roles would leave no operator that may manage operators. */
function losesAll(
  operators: Parameters<typeof leavesNoAdministrator>[0],
  before: readonly Role[],
  after: readonly Role[],
): boolean {
  const withoutRoles = { isActive: false, roles: [] }
  const isInCharge = (roles: readonly Role[]) =>
    operators.some((operator) =>
      leavesNoAdministrator([operator], roles, operator.name, withoutRoles),
    )
  return isInCharge(before) && !isInCharge(after)
}

function recordOf({ label, description, privileges }: Role) {
  return { label, description, privileges }
}
