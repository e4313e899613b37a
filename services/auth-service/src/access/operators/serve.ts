/** Serves operators, sessions, roles and privileges over gRPC. */
import { refusalMessage } from '@causeway/services'
import { grants } from '@causeway/services/privileges'
import type { Handlers } from '@causeway/grpc'
import { present, type operatorsService, type Operator as OperatorMessage } from '@causeway/protos'
import { timeMessage } from '../../contract.ts'
import type { RefusedCommand } from '../../domain/refusal.ts'
import { challengeMessage } from '../fido/serve.ts'
import type { AuthMeasures } from '../../measures.ts'
import { operationOutcome, saveOperationOutcome } from '../operations/store.ts'
import { checkActor } from './check-actor.ts'
import type { Operator, Role } from './domain/operator.ts'
import {
  changePassword,
  createOperator,
  resetSecret,
  updateOperator,
  type Managed,
  type ManageParts,
} from './manage.ts'
import { personsFault } from './persons.ts'
import { allPrivileges, allRoles } from './role-store.ts'
import { registerPrivileges, setRole } from './roles.ts'
import { endSessions, listSessions } from './session-list.ts'
import { invalidatedTokens } from './session-store.ts'
import {
  checkToken,
  logIn,
  logOut,
  refreshSession,
  type KeyStep,
  type OpenSession,
  type SessionParts,
} from './sessions.ts'
import { allOperators, operatorsOf } from './store.ts'

export interface OperatorParts extends SessionParts, ManageParts {
  readonly measures: AuthMeasures
  /** How long two operators are one person after one knew a secret of the other. */
  readonly apart_ms: number
}

type OperatorsHandlers = Handlers<typeof operatorsService>

export function serveOperators(parts: OperatorParts): OperatorsHandlers {
  return {
    ...sessions(parts),
    ...sessionLists(parts),
    ...policy(parts),
    ...management(parts),
    ...approvals(parts),
  }
}

function sessions(
  parts: OperatorParts,
): Pick<OperatorsHandlers, 'LogIn' | 'RefreshSession' | 'LogOut' | 'CheckToken'> {
  return {
    async LogIn({ id, secret, address }) {
      const session = await logIn(parts, { name: id, secret, address }, new Date())
      parts.measures.logIn(logInOutcome(session))
      return sessionAnswer(session)
    },
    async RefreshSession({ refreshToken }) {
      return sessionAnswer(await refreshSession(parts, refreshToken, new Date()))
    },
    async LogOut({ accessToken }) {
      return done(await logOut(parts, accessToken, new Date()))
    },
    async CheckToken({ accessToken }) {
      const token = await checkToken(parts, accessToken, new Date())
      if (token === undefined) return inactive
      const { sub, roles, mustChange, mustRegisterKey, expiresAt } = token
      const isLimited = mustChange || mustRegisterKey
      const privileges = isLimited ? [] : await privilegesOf(parts, roles)
      return {
        active: true,
        sub,
        userType: 'HUB',
        roles: [...roles],
        privileges,
        expiresAt: timeMessage(expiresAt),
      }
    },
  }
}

function sessionLists(
  parts: OperatorParts,
): Pick<OperatorsHandlers, 'ListSessions' | 'EndSessions' | 'CheckActor'> {
  return {
    async ListSessions({ operator }) {
      const sessions = await listSessions(parts, operator, new Date())
      return {
        sessions: sessions.map(({ id, factor, address, createdAt, usedAt, expiresAt }) => ({
          id,
          ...present({ factor, address }),
          createdAt: timeMessage(createdAt),
          usedAt: timeMessage(usedAt),
          expiresAt: timeMessage(expiresAt),
        })),
      }
    },
    async CheckActor({ actor, accessToken: token, requestId, callHash: call }) {
      const claim = { actor, approver: undefined, call, token, requestId }
      return done(await checkActor(parts, claim, new Date()))
    },
    EndSessions: async ({ operator, sessionId, actor }) =>
      done(await endSessions(parts, { operator, sessionId, actor }, new Date())),
  }
}

function approvals({
  db,
  apart_ms,
}: OperatorParts): Pick<
  OperatorsHandlers,
  'CheckApprover' | 'NoteOperationOutcome' | 'GetOperationOutcome'
> {
  return {
    CheckApprover: async ({ maker, actor: by, privilege }) =>
      done(await personsFault(db, { maker, by, privilege }, apart_ms)),
    async NoteOperationOutcome({ requestId, status, actor }) {
      await saveOperationOutcome(db, requestId, status, actor)
      return {}
    },
    async GetOperationOutcome({ requestId }) {
      const status = await operationOutcome(db, requestId)
      return status === undefined ? {} : { status }
    },
  }
}

/** As it is counted: `let_in`, `key`, or the reason of the refusal. */
export function logInOutcome(session: OpenSession | KeyStep | RefusedCommand): string {
  if (session.type === 'REFUSE') return session.reason
  return session.type === 'KEY' ? 'key' : 'let_in'
}

export function sessionAnswer(session: OpenSession | KeyStep | RefusedCommand) {
  if (session.type === 'REFUSE') return { refusal: refusalMessage(session) }
  if (session.type === 'KEY') return { key: keyMessage(session) }
  return { session: sessionMessage(session) }
}

export function keyMessage({ transactionId, challenge }: KeyStep) {
  const userVerificationRequired = challenge.userId === null
  return { transactionId, challenge: challengeMessage(challenge), userVerificationRequired }
}

export function sessionMessage(session: OpenSession) {
  const { operator, accessToken, refreshToken, mustRegisterKey, expiresIn_s } = session
  return {
    accessToken,
    ...present({ refreshToken }),
    expiresInS: expiresIn_s,
    roles: [...operator.roles],
    mustChangePassword: operator.mustChange,
    mustRegisterKey,
  }
}

const inactive = { active: false, sub: '', userType: '', roles: [], privileges: [], expiresAt: '' }

async function privilegesOf({ db }: OperatorParts, roles: readonly string[]): Promise<string[]> {
  const granted = (await allRoles(db))
    .filter(({ id }) => roles.includes(id))
    .flatMap(({ privileges }) => privileges)
  const known = await allPrivileges(db)
  return known.map(({ id }) => id).filter((id) => grants(granted, id))
}

function policy(
  parts: OperatorParts,
): Pick<
  OperatorsHandlers,
  'GetAccessPolicy' | 'RegisterPrivileges' | 'ListPrivileges' | 'ListRoles' | 'SetRole'
> {
  const { db, tokenKeys } = parts
  return {
    async GetAccessPolicy() {
      const now = new Date()
      const invalidated = await invalidatedTokens(db, now)
      return {
        jwksJson: await tokenKeys.jwks(now),
        roles: (await allRoles(db)).map(roleMessage),
        invalidated: invalidated.map(({ expiry, ...token }) => ({
          ...token,
          expiry: timeMessage(expiry),
        })),
      }
    },
    async RegisterPrivileges({ boundedContextName, privilegeSetVersion, privileges }) {
      const set = {
        boundedContext: boundedContextName,
        version: privilegeSetVersion,
        privileges: privileges.map(({ id, labelName: label, description }) => ({
          id,
          label,
          description,
        })),
      }
      return done(await registerPrivileges(parts, set))
    },
    async ListPrivileges() {
      const privileges = (await allPrivileges(db)).map(
        ({ id, label, description, boundedContext }) => ({
          id,
          labelName: label,
          description,
          boundedContextName: boundedContext,
        }),
      )
      return { privileges }
    },
    async ListRoles() {
      return { roles: (await allRoles(db)).map(roleMessage) }
    },
    async SetRole({ role, actor }) {
      const { id = '', labelName: label = '', description = '', privileges = [] } = role ?? {}
      const set = await setRole(parts, { id, label, description, privileges }, actor)
      return set.type === 'REFUSE'
        ? { refusal: refusalMessage(set) }
        : { role: roleMessage(set.role) }
    },
  }
}

function management(
  parts: OperatorParts,
): Pick<
  OperatorsHandlers,
  'ListOperators' | 'CreateOperator' | 'UpdateOperator' | 'ResetOperatorSecret' | 'ChangePassword'
> {
  const message = (operator: Operator) => operatorMessage(operator, parts)
  const managed = (answer: Managed | RefusedCommand) =>
    answer.type === 'REFUSE'
      ? { refusal: refusalMessage(answer) }
      : {
          operator: {
            operator: message(answer.operator),
            ...present({ secret: answer.secret }),
          },
        }
  return {
    async ListOperators({ names }) {
      const operators =
        names.length === 0 ? await allOperators(parts.db) : await operatorsOf(parts.db, names)
      return { operators: operators.map(message) }
    },
    CreateOperator: async (creation) => managed(await createOperator(parts, creation)),
    async UpdateOperator({ name, actor, roles, isActive, email: change, unbindIdentity }) {
      const email = change ? (change.email ?? null) : undefined
      const unbind = unbindIdentity ?? false
      const changes = { name, actor, isActive, email, unbind, roles: roles?.ids }
      return managed(await updateOperator(parts, changes))
    },
    ResetOperatorSecret: async (reset) => managed(await resetSecret(parts, reset)),
    ChangePassword: async ({ name, oldPassword, newPassword }) =>
      done(await changePassword(parts, name, oldPassword, newPassword)),
  }
}

function done(refused: RefusedCommand | undefined) {
  return { refusal: refused === undefined ? null : refusalMessage(refused) }
}

function roleMessage({ id, label, description, privileges, isBuiltIn }: Role) {
  return { id, labelName: label, description, privileges: [...privileges], isBuiltIn }
}

function operatorMessage(
  operator: Operator,
  { attempts_max, lock_s }: OperatorParts,
): OperatorMessage {
  const { name, kind, isActive, mustChange, roles, createdAt, createdBy, lastLogInAt } = operator
  const { oidcIssuer, oidcSubject } = operator
  const lockEnd = new Date(operator.attemptsSince.getTime() + lock_s * 1_000)
  const isLocked =
    kind === 'PERSON' && operator.attempts >= attempts_max && lockEnd.getTime() > Date.now()
  return {
    name,
    kind,
    isActive,
    mustChangePassword: mustChange,
    roles: [...roles],
    createdAt: timeMessage(createdAt),
    createdBy,
    identity:
      oidcIssuer === null || oidcSubject === null
        ? null
        : { issuer: oidcIssuer, subject: oidcSubject },
    ...present({
      lockedUntil: isLocked ? timeMessage(lockEnd) : undefined,
      lastLogInAt: lastLogInAt?.toISOString(),
      email: operator.email,
      endsAt: operator.endsAt?.toISOString(),
    }),
  }
}
