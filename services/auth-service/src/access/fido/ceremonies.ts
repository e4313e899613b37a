/**
 * Registration of an authenticator and verification of its signatures. A challenge is used before
 * the cryptography, so that a failed attempt cannot be repeated; counter, audit entry and what
 * follows from a signature are one transaction.
 */
import {
  checkAssertion,
  checkAttestation,
  presentedIn,
  type Ceremony,
  type FidoVerifier,
} from '@causeway/credentials'
import type { Transaction } from '@causeway/postgres'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { lockNamed } from '../../lock.ts'
import { record } from '../../record.ts'
import { claimChallenge } from './challenge-store.ts'
import type { FidoParts } from './challenges.ts'
import {
  advanceCounter,
  credentialById,
  credentialsOf,
  insertCredential,
  type StoredCredential,
} from './credential-store.ts'
import {
  challengeFault,
  isOfUser,
  type Purpose,
  type Realm,
  type Use,
  type UsedChallenge,
} from './domain/challenge.ts'
import { ceremonyFault } from './domain/relying-party.ts'

/** Authenticators of one user. */
const credentials_max = 10

const actions: Readonly<Record<Purpose, string>> = {
  REGISTER: 'RegisterFidoCredential',
  AUTHENTICATE: 'AuthenticateWithFido',
  AUTHORIZE: 'AuthorizeWithFido',
  LOG_IN: 'LogIn',
  CERTIFICATE: 'LogIn',
}

export interface AuthenticatorRegistration {
  readonly realm: Realm
  readonly userId: string
  /** How the user calls the authenticator; may be empty. */
  readonly name: string
  readonly payload: unknown
  /** Undefined: the one that the payload names. */
  readonly challenge?: string
  readonly actor: string
}

export interface Registered {
  readonly type: 'REGISTERED'
  readonly credentialId: string
  /** COSE_Key, base64url. */
  readonly publicKey: string
}

export async function registerCredential(
  parts: FidoParts,
  registration: AuthenticatorRegistration,
  now: Date,
): Promise<Registered | RefusedCommand> {
  const { db } = parts
  const { realm, userId, payload, actor } = registration
  const challenge = registration.challenge ?? presentedIn(payload)?.challenge ?? ''
  const claimed = await claimChallenge(db, challenge, now)
  const failed = (fault: string) =>
    refuseProof(parts, { claimed, realm, userId, actor, purpose: 'REGISTER' }, fault, now)
  const fault = challengeFault(claimed, { realm, purposes: ['REGISTER'], userId }, now)
  if (fault !== undefined) return failed(fault)
  const check = await checkAttestation(payload, [challenge])
  if (check.type === 'INVALID') return failed(check.detail)
  const { verifier, ceremony } = check
  if (verifier.type !== 'FIDO' || ceremony === undefined) throw new Error('not a FIDO credential')
  const misuse = ceremonyFault(ceremony, parts.relyingParty, false)
  if (misuse !== undefined) return failed(misuse)
  return store(parts, registration, verifier, ceremony, now)
}

function store(
  { db, bus }: FidoParts,
  { realm, userId, name, actor }: AuthenticatorRegistration,
  { credentialId, publicKey, rpIdHash, origin, signCount }: FidoVerifier,
  { isUserVerified }: Ceremony,
  now: Date,
): Promise<Registered | RefusedCommand> {
  return db.transaction(async (tx): Promise<Registered | RefusedCommand> => {
    await lockNamed(tx, `fido ${realm} ${userId}`)
    if ((await credentialsOf(tx, realm, userId)).length >= credentials_max) {
      return refuse('CREDENTIALS_FULL', `a user has at most ${credentials_max} authenticators`)
    }
    const known = { credentialId, publicKey, rpIdHash, origin, signCount }
    const row = { ...known, realm, userId, name, isUserVerified }
    if (!(await insertCredential(tx, row, now))) {
      return refuse('CREDENTIAL_EXISTS', 'the authenticator is registered already')
    }
    record(bus, tx, {
      actor,
      action: actions.REGISTER,
      subject: subjectOf(realm, userId),
      before: null,
      after: { credentialId, name, origin, isUserVerified },
      at: now,
    })
    return { type: 'REGISTERED', credentialId, publicKey }
  })
}

export interface Assertion {
  readonly use: Use
  readonly payload: unknown
  /** Undefined: the one that the payload names. */
  readonly challenge?: string
  /** Undefined: the user who signed. */
  readonly actor?: string
}

export interface VerifiedSignature {
  readonly type: 'VERIFIED'
  readonly challenge: UsedChallenge
  readonly credential: StoredCredential
  /** Of this signature. */
  readonly signCount: number
}

/**
 * @param accept what follows from a valid signature, in the transaction that stores its counter; a
 * text is why nothing may follow
 */
export async function verifyAssertion<Result extends object>(
  parts: FidoParts,
  assertion: Assertion,
  now: Date,
  accept: (tx: Transaction, verified: VerifiedSignature) => Promise<Result | string>,
): Promise<Result | RefusedCommand> {
  const { db } = parts
  const { use, payload, actor } = assertion
  const presented = presentedIn(payload)
  const challenge = assertion.challenge ?? presented?.challenge ?? ''
  const claimed = await claimChallenge(db, challenge, now)
  const credential = await credentialById(db, use.realm, presented?.credentialId ?? '')
  const userId = credential?.userId ?? claimed?.userId ?? 'unknown'
  const attempt = { claimed, realm: use.realm, userId, actor: actor ?? userId }
  const failed = (fault: string) => refuseProof(parts, attempt, fault, now)
  const fault = challengeFault(claimed, use, now)
  if (fault !== undefined || claimed === undefined) return failed(fault ?? '')
  if (credential === undefined) return failed('the authenticator is not registered')
  if (!isOfUser(claimed, credential.userId)) return failed('another user signed')
  const ceremony = await checkSignature(parts, payload, claimed, credential)
  if (typeof ceremony === 'string') return failed(ceremony)
  const { signCount } = ceremony
  const result = await db.transaction(async (tx) =>
    (await advanceCounter(tx, credential, signCount, now))
      ? accept(tx, { type: 'VERIFIED', challenge: claimed, credential, signCount })
      : 'the signature counter did not increase, or the key was removed',
  )
  return typeof result === 'string' ? failed(result) : result
}

/** The ceremony of a valid signature, or what is wrong with it. */
async function checkSignature(
  { relyingParty }: FidoParts,
  payload: unknown,
  { challenge, purpose, userId }: UsedChallenge,
  { credentialId, publicKey, rpIdHash, origin, signCount }: StoredCredential,
): Promise<Ceremony | string> {
  const verifier: FidoVerifier = {
    type: 'FIDO',
    credentialId,
    publicKey,
    rpIdHash,
    rpId: relyingParty.id,
    origin,
    signCount,
  }
  const check = await checkAssertion(payload, [challenge], verifier)
  if (check.type === 'INVALID') return check.detail
  if (check.ceremony === undefined) throw new Error('not a FIDO credential')
  // A key alone is two factors only if it has verified its user.
  const isOnlyFactor = purpose === 'LOG_IN' && userId === null
  return ceremonyFault(check.ceremony, relyingParty, isOnlyFactor) ?? check.ceremony
}

/** Audits a valid signature that is no log-in. */
export function recordSignature(
  { bus }: FidoParts,
  tx: Transaction,
  { challenge, credential, signCount }: VerifiedSignature,
  { actor, now }: { readonly actor: string; readonly now: Date },
): void {
  const { transactionId, transactionHash } = challenge
  record(bus, tx, {
    actor,
    action: actions[challenge.purpose],
    subject: subjectOf(credential.realm, credential.userId),
    before: null,
    after: { credentialId: credential.credentialId, signCount, transactionId, transactionHash },
    at: now,
    ...(transactionId === null ? {} : { labels: { transactionId } }),
  })
}

export interface CeremonyAttempt {
  /** Undefined: no such challenge was made, or not lately. */
  readonly claimed: UsedChallenge | undefined
  readonly realm: Realm
  readonly userId: string
  readonly actor: string
  /** That of the challenge if left out. */
  readonly purpose?: Purpose
}

const refused = refuse('PROOF_INVALID', 'the challenge or the proof is not valid')

/**
 * Audits a failed attempt. One without a challenge of this hub is only refused: made-up challenges
 * could fill the log.
 */
export async function refuseProof(
  { db, bus }: Pick<FidoParts, 'db' | 'bus'>,
  { claimed, realm, userId, actor, purpose }: CeremonyAttempt,
  fault: string,
  now: Date,
): Promise<RefusedCommand> {
  if (claimed === undefined) return refused
  await db.transaction((tx) => {
    record(bus, tx, {
      actor,
      action: actions[purpose ?? claimed.purpose],
      subject: subjectOf(realm, userId),
      before: null,
      after: null,
      at: now,
      successful: false,
      labels: { fault },
    })
    return Promise.resolve()
  })
  return refused
}

function subjectOf(realm: Realm, userId: string): string {
  return realm === 'OPERATOR' ? `operators/${userId}` : `fido-users/${userId}`
}

/** Reads what a client sent as JSON; what is not JSON is refused like any malformed credential. */
export function payloadOf(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}
