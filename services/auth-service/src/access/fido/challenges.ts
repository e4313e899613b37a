/** Makes challenges: 32 random bytes that can be answered once, at any replica, for a short time. */
import { hash, randomBytes } from 'node:crypto'
import type { EventBus } from '@causeway/bus'
import type { Database } from '@causeway/postgres'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { insertChallenge } from './challenge-store.ts'
import { credentialsOf } from './credential-store.ts'
import type { Challenge } from './domain/challenge.ts'
import type { RelyingParty } from './domain/relying-party.ts'

export interface FidoParts {
  readonly db: Database
  readonly bus: EventBus
  readonly relyingParty: RelyingParty
  /** How long a challenge can be answered. */
  readonly challengeLife_ms: number
}

type NewChallenge = Pick<Challenge, 'realm' | 'purpose' | 'userId'> &
  Partial<Pick<Challenge, 'transactionId' | 'transactionHash'>>

export interface MadeChallenge extends Challenge {
  readonly type: 'CHALLENGE'
  readonly rpId: string
  /** The user's credentials; none for a challenge of any user. */
  readonly credentialIds: readonly string[]
}

const challenge_bytes = 32
const user_id_length_max = 128

/**
 * @param prefix text before the random part, for what a key signs that other messages are signed
 * with as well
 */
export async function createChallenge(
  { db, relyingParty, challengeLife_ms }: FidoParts,
  { realm, purpose, userId, transactionId = null, transactionHash = null }: NewChallenge,
  now: Date,
  prefix = '',
): Promise<MadeChallenge | RefusedCommand> {
  const credentialIds = userId === null ? [] : await credentialIdsOf(db, realm, userId)
  if (userId !== null && purpose !== 'REGISTER' && credentialIds.length === 0) {
    return refuse('CREDENTIAL_UNKNOWN', 'no authenticator is registered for the user')
  }
  const challenge: Challenge = {
    challenge: `${prefix}${randomBytes(challenge_bytes).toString('base64url')}`,
    realm,
    purpose,
    userId,
    transactionId,
    transactionHash,
    expiresAt: new Date(now.getTime() + challengeLife_ms),
  }
  if (!(await insertChallenge(db, challenge, now))) {
    return refuse('BUSY', 'too many challenges are open')
  }
  return { type: 'CHALLENGE', ...challenge, rpId: relyingParty.id, credentialIds }
}

async function credentialIdsOf(db: Database, realm: Challenge['realm'], userId: string) {
  return (await credentialsOf(db, realm, userId)).map(({ credentialId }) => credentialId)
}

/** Why the text cannot be the id of a user; undefined if it can. */
export function userIdFault(userId: string): RefusedCommand | undefined {
  const isValid = userId !== '' && userId.length <= user_id_length_max && !/\p{Cc}/u.test(userId)
  return isValid
    ? undefined
    : refuse('INVALID', `userId must have 1 to ${user_id_length_max} characters`)
}

/** An authenticator stores it with the credential; it reveals no name. (WebAuthn, section 14.6.1) */
export function userHandleOf({ realm, userId }: Challenge): string {
  return userId === null ? '' : hash('sha256', `${realm} ${userId}`, 'base64url')
}
