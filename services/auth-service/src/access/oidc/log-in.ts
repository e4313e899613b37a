/**
 * Log-in through an OpenID provider: it proves an identity, and the hub decides what an operator of
 * that name may do. It makes no operators.
 */
import { isOutage } from '@causeway/process'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { record } from '../../record.ts'
import { isOperatorName } from '../operators/domain/operator.ts'
import { sha256 } from '../operators/secrets.ts'
import { admit, type KeyStep, type OpenSession, type SessionParts } from '../operators/sessions.ts'
import { bindIdentity, operatorsOf } from '../operators/store.ts'
import { lockNamed } from '../../lock.ts'
import type { OidcIdentity, OidcProvider } from './provider.ts'
import { addOidcLogIn, takeOidcLogIn } from './store.ts'

export interface OidcParts extends SessionParts {
  /** Undefined: there is none. */
  readonly oidc: OidcProvider | undefined
}

export interface BegunLogIn {
  readonly type: 'BEGUN'
  readonly url: string
  readonly state: string
  readonly expiresAt: Date
}

const life_ms = 600_000
const open_max = 10_000
const none = refuse('NO_OIDC', 'this hub has no OpenID provider')
const away = refuse('BUSY', 'the OpenID provider does not answer')
const invalid = refuse('PROOF_INVALID', 'the log-in is not valid: begin again')

export async function beginOidc(
  { db, oidc }: OidcParts,
  now: Date,
): Promise<BegunLogIn | RefusedCommand> {
  if (oidc === undefined) return none
  const begun = await oidc.begin().catch(() => undefined)
  if (begun === undefined) return away
  const expiresAt = new Date(now.getTime() + life_ms)
  const { url, state, logIn } = begun
  const isAdded = await addOidcLogIn(db, sha256(state), logIn, expiresAt, open_max)
  return isAdded ? { type: 'BEGUN', url, state, expiresAt } : refuse('BUSY', 'too many log-ins')
}

/** @param callback the address with which the browser came back; @param state as it was begun there */
export async function endOidc(
  parts: OidcParts,
  { callback, state }: { readonly callback: string; readonly state: string },
  now: Date,
  address: string | undefined,
): Promise<OpenSession | KeyStep | RefusedCommand> {
  const { db, oidc } = parts
  if (oidc === undefined) return none
  const logIn = await takeOidcLogIn(db, sha256(state), now)
  if (logIn === undefined || !URL.canParse(callback)) return invalid
  let identity: OidcIdentity | undefined
  try {
    identity = await oidc.end(new URL(callback), state, logIn)
  } catch (error) {
    return isOutage(error) || error instanceof TypeError ? away : invalid
  }
  if (identity === undefined || !isOperatorName(identity.name)) return invalid
  const { name } = identity
  const [operator] = await operatorsOf(db, [name])
  if (operator?.isActive !== true || operator.kind !== 'PERSON') {
    await recordUnfit(parts, name, 'no such operator', now)
    return refuse('PROOF_INVALID', 'no operator has the name that the OpenID provider gives')
  }
  const fault = await bind(parts, identity, now)
  if (fault !== undefined) {
    await recordUnfit(parts, name, fault, now)
    return refuse('PROOF_INVALID', fault)
  }
  return admit(parts, { ...operator, mustChange: false }, 'OIDC', now, address)
}

/**
 * The first log-in binds the operator to issuer and subject: later only these are this operator, also if
 * another user has the name at the provider. The fault, or undefined.
 */
function bind(
  { db, bus }: OidcParts,
  identity: OidcIdentity,
  at: Date,
): Promise<string | undefined> {
  const { name, issuer, subject } = identity
  return db.transaction(async (tx) => {
    await lockNamed(tx, 'operators')
    const [operator] = await operatorsOf(tx, [name])
    if (operator !== undefined && operator.oidcSubject !== null) {
      const isSame = operator.oidcIssuer === issuer && operator.oidcSubject === subject
      return isSame
        ? undefined
        : 'the operator is bound to another identity at the OpenID provider: an administrator can unbind it'
    }
    if (!(await bindIdentity(tx, identity))) {
      return 'this identity at the OpenID provider is that of another operator'
    }
    record(bus, tx, {
      actor: name,
      action: 'BindOperatorIdentity',
      subject: `operators/${name}`,
      before: null,
      after: { issuer, subject },
      confidential: ['subject'],
      at,
    })
    return undefined
  })
}

/** The provider has proven the name, so it can be recorded. */
async function recordUnfit(
  { db, bus }: OidcParts,
  name: string,
  fault: string,
  at: Date,
): Promise<void> {
  const entry = { actor: name, action: 'LogIn', subject: `operators/${name}`, at }
  const labels = { factor: 'OIDC', fault }
  await db.transaction((tx) => {
    record(bus, tx, { ...entry, before: null, after: null, successful: false, labels })
    return Promise.resolve()
  })
}
