/**
 * Whether a challenge may be answered: only once, in time, and only for what it was made for. The
 * store finds out whether this is its first use.
 */

/** Operators of the hub, or users of components: neither can use a challenge of the other. */
export type Realm = 'OPERATOR' | 'USER'

export type Purpose = 'REGISTER' | 'AUTHENTICATE' | 'AUTHORIZE' | 'LOG_IN' | 'CERTIFICATE'

export interface Challenge {
  /** base64url. */
  readonly challenge: string
  readonly realm: Realm
  readonly purpose: Purpose
  /** null: of any user. */
  readonly userId: string | null
  readonly transactionId: string | null
  readonly transactionHash: string | null
  readonly expiresAt: Date
}

/** A challenge that was presented and is used from now on. */
export interface UsedChallenge extends Challenge {
  /** false: it was used before. */
  readonly isFirstUse: boolean
}

/** What the caller presents the challenge for. */
export interface Use {
  readonly realm: Realm
  readonly purposes: readonly Purpose[]
  /** Undefined: the credential determines the user. */
  readonly userId?: string
  /** Undefined: there is none to compare. */
  readonly transactionId?: string
  readonly transactionHash?: string
}

/** Why the challenge may not be answered, for operators; undefined if it may. */
export function challengeFault(
  challenge: UsedChallenge | undefined,
  use: Use,
  now: Date,
): string | undefined {
  if (challenge === undefined) return 'the challenge was not made here, or it has expired'
  const { realm, purpose, userId, transactionId, transactionHash } = challenge
  if (!challenge.isFirstUse) return 'the challenge was used before'
  if (challenge.expiresAt <= now) return 'the challenge has expired'
  if (realm !== use.realm || !use.purposes.includes(purpose)) {
    return 'the challenge was made for another purpose'
  }
  if (use.userId !== undefined && use.userId !== userId) {
    return 'the challenge was made for another user'
  }
  const isOfTransaction =
    (use.transactionId === undefined || use.transactionId === transactionId) &&
    (use.transactionHash === undefined || use.transactionHash === transactionHash)
  return isOfTransaction ? undefined : 'the challenge was made for another transaction'
}

/** Whether a credential of this user may answer; a challenge without a user is of any. */
export function isOfUser({ userId }: Challenge, credentialUserId: string): boolean {
  return userId === null || userId === credentialUserId
}
