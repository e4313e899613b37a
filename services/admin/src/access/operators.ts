/** The operators, people and programs, and their roles. */
import {
  operatorKindValues,
  present,
  type Operator,
  type Privilege,
  type Role,
} from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { flag, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'

const deadline_ms = 10_000

const roleIds = z.array(word).max(50)
const creation = z.strictObject({
  name: word,
  kind: z.enum(operatorKindValues).optional().default('PERSON'),
  roles: roleIds,
  /** For a person: where notices of pending requests and of decisions are sent. */
  email: z.email().max(254).optional(),
})
const change = z.strictObject({
  isActive: flag.optional(),
  roles: roleIds.optional(),
  /** null: removes it. */
  email: z.email().max(254).nullable().optional(),
  /** null: unbinds it; the next log-in at the OpenID provider binds the operator. */
  identity: z.null().optional(),
})
const password = z.strictObject({
  id: word,
  secret: z.string().max(256),
  newSecret: z.string().max(256),
})
const role = z.strictObject({
  labelName: word,
  description: z.string().max(512).optional().default(''),
  privileges: z.array(word).max(500),
})

const shownOperator = z
  .strictObject({
    name: z.string(),
    kind: z.enum(operatorKindValues),
    isActive: z.boolean(),
    mustChangePassword: z.boolean(),
    roles: z.array(z.string()),
    email: z.string().nullable(),
    createdDate: shownTime,
    createdBy: z.string(),
    lastLogInDate: shownTime.nullable(),
    lockedUntil: shownTime.nullable(),
    /** When the program that sets up the hub may only see and verify. */
    endsDate: shownTime.nullable(),
    /** Who the OpenID provider means, from the first log-in there on. */
    identity: z.strictObject({ issuer: z.string(), subject: z.string() }).nullable(),
  })
  .meta({ id: 'Operator' })

const shownSecret = shownOperator.extend({ secret: z.string() }).meta({ id: 'OperatorWithSecret' })

const shownRole = z
  .strictObject({
    id: z.string(),
    labelName: z.string(),
    description: z.string(),
    isBuiltIn: z.boolean(),
    privileges: z.array(z.string()),
  })
  .meta({ id: 'Role' })

const shownPrivilege = z.strictObject({
  id: z.string(),
  labelName: z.string(),
  description: z.string(),
  boundedContextName: z.string(),
})

export function operatorOperations(deps: Deps): readonly Operation[] {
  const path = '/operators/:operator'
  return [
    reads(
      '/operators',
      { about: 'Every operator, inactive ones too', answers: { 200: z.array(shownOperator) } },
      async () => {
        const { operators } = await deps.operators.ListOperators({ names: [] })
        return answered(200, operators.map(operatorBody))
      },
    ),
    writes(
      'POST',
      '/operators',
      creation,
      {
        about:
          'Creates an operator; only this answer shows the initial secret, and a person must change it',
        answers: { 201: shownSecret },
        refuses: ['OPERATOR_EXISTS', 'ROLE_UNKNOWN'],
      },
      async ({ body: { email, ...body }, actor, approver }) => {
        const wanted = { ...body, ...present({ email }), ...makers(actor, approver) }
        return managed(await deps.operators.CreateOperator(wanted, { deadline_ms }), 201)
      },
    ),
    reads(
      path,
      { about: 'One operator', answers: { 200: shownOperator }, refuses: ['OPERATOR_UNKNOWN'] },
      ({ operator }) => getOperator(deps, operator),
    ),
    writes(
      'PUT',
      path,
      change,
      {
        about:
          'Disables or enables an operator, changes the roles, which ends earlier tokens, changes the e-mail address, or unbinds the identity at the OpenID provider, which ends every session',
        answers: { 200: shownOperator },
        refuses: ['OPERATOR_UNKNOWN', 'ROLE_UNKNOWN', 'LAST_ADMINISTRATOR'],
      },
      async ({ operator: name, body: { isActive, roles, email, identity }, actor }) =>
        managed(
          await deps.operators.UpdateOperator({
            name,
            actor,
            ...(isActive === undefined ? {} : { isActive }),
            ...(roles === undefined ? {} : { roles: { ids: roles } }),
            ...(email === undefined ? {} : { email: present({ email }) }),
            ...(identity === undefined ? {} : { unbindIdentity: true }),
          }),
          200,
        ),
    ),
    commands(
      'POST',
      `${path}/secret-reset`,
      {
        about: 'Creates a new initial secret, ends every session and removes a lock',
        answers: { 201: shownSecret },
        refuses: ['OPERATOR_UNKNOWN'],
      },
      async ({ operator: name, actor, approver }) => {
        const reset = { name, ...makers(actor, approver) }
        return managed(await deps.operators.ResetOperatorSecret(reset, { deadline_ms }), 201)
      },
    ),
  ]
}

/** Both may see the new secret. */
function makers(actor: string, approver: string | undefined) {
  return approver === undefined ? { actor } : { actor, approver }
}

const application = z.strictObject({ appName: word, roles: roleIds })

/** Registration of a program, with the name of the reference architecture. */
export function applicationOperations(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/app-register',
      application,
      {
        about:
          'Registers an application, which then logs in with id and secret; only this answer shows the secret',
        answers: { 201: z.strictObject({ id: z.string(), secret: z.string() }) },
        refuses: ['OPERATOR_EXISTS', 'ROLE_UNKNOWN'],
      },
      async ({ body: { appName: name, roles }, actor, approver }) => {
        const wanted = { name, kind: 'MACHINE', roles, ...makers(actor, approver) } as const
        const made = await deps.operators.CreateOperator(wanted, { deadline_ms })
        if (made.refusal) return refusedUpstream(made.refusal)
        const { operator, secret } = made.operator ?? {}
        if (!operator || secret === undefined) throw new Error('an application was not returned')
        return answered(201, { id: operator.name, secret })
      },
    ),
  ]
}

/** By the operator itself. */
export function passwordOperations(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/app-change-secret',
      password,
      {
        about: "Changes the caller's password; every session ends, log in with the new one",
        answers: { 204: null },
        refuses: ['OPERATOR_UNKNOWN', 'NOT_ONESELF', 'LOCKED', 'BUSY'],
      },
      async ({ body: { id: name, secret, newSecret }, actor }) => {
        const isOneself = actor === name || deps.settings.OPERATOR_IDENTITY === 'none'
        if (!isOneself) return refused('NOT_ONESELF', 'only its owner can change a password')
        const change = { name, oldPassword: secret, newPassword: newSecret }
        const { refusal } = await deps.operators.ChangePassword(change, { deadline_ms })
        return refusal ? refusedUpstream(refusal) : answered(204)
      },
    ),
  ]
}

export function roleOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/roles',
      { about: 'The privileges of each role', answers: { 200: z.array(shownRole) } },
      async () => answered(200, (await deps.operators.ListRoles({})).roles.map(roleBody)),
    ),
    writes(
      'PUT',
      '/roles/:role',
      role,
      {
        about: 'Creates or replaces a role; predefined roles cannot be changed',
        answers: { 200: shownRole },
        refuses: ['ROLE_BUILT_IN', 'PRIVILEGE_UNKNOWN', 'LAST_ADMINISTRATOR'],
      },
      async ({ role: id, body, actor }) => {
        const wanted = { id, ...body, isBuiltIn: false }
        const { role: made, refusal } = await deps.operators.SetRole({ role: wanted, actor })
        if (refusal) return refusedUpstream(refusal)
        if (!made) throw new Error('a role was set, but not returned')
        return answered(200, roleBody(made))
      },
    ),
    reads(
      '/privileges',
      { about: 'The privileges that roles are made of', answers: { 200: z.array(shownPrivilege) } },
      async () =>
        answered(200, (await deps.operators.ListPrivileges({})).privileges.map(privilegeBody)),
    ),
  ]
}

async function getOperator(deps: Deps, name: string): Promise<OperationResult> {
  const [found] = (await deps.operators.ListOperators({ names: [name] })).operators
  if (found === undefined) return refused('OPERATOR_UNKNOWN', `operator ${name}`)
  return answered(200, operatorBody(found))
}

function managed(
  { operator, refusal }: Awaited<ReturnType<Deps['operators']['CreateOperator']>>,
  status: 200 | 201,
): OperationResult {
  if (refusal) return refusedUpstream(refusal)
  if (!operator?.operator) throw new Error('an operator was changed, but not returned')
  const body = operatorBody(operator.operator)
  return answered(status, { ...body, ...present({ secret: operator.secret }) })
}

function operatorBody(operator: Operator) {
  return {
    name: operator.name,
    kind: operator.kind,
    isActive: operator.isActive,
    mustChangePassword: operator.mustChangePassword,
    roles: operator.roles,
    email: operator.email ?? null,
    createdDate: operator.createdAt,
    createdBy: operator.createdBy,
    lastLogInDate: operator.lastLogInAt ?? null,
    lockedUntil: operator.lockedUntil ?? null,
    endsDate: operator.endsAt ?? null,
    identity: operator.identity && { ...operator.identity },
  } satisfies Json
}

function roleBody({ id, labelName, description, isBuiltIn, privileges }: Role) {
  return { id, labelName, description, isBuiltIn, privileges } satisfies Json
}

function privilegeBody({ id, labelName, description, boundedContextName }: Privilege) {
  return { id, labelName, description, boundedContextName } satisfies Json
}
