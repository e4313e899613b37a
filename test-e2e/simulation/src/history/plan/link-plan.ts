/** What of the Third-Party API a history holds: a PISP that links an account at a DFSP and pays from it. */
import type { Chance } from '../../virtual/chance.ts'
import type { PayeeAnswer } from './plan.ts'

/** The participant that starts payments from accounts at others. */
export const pisp = 'lemon'
/** The DFSP of all linked accounts. */
export const linkedDfsp = 'mango'

/**
 * What the user does when asked to sign: signs, refuses, signs with another key, signs when the DFSP may
 * have given up, does nothing.
 */
export type User = 'SIGNS' | 'REFUSES' | 'FORGES' | 'LATE' | 'SILENT'

export interface PlannedLinkPayment {
  readonly payee: string
  readonly amount: string
  /** After the account is linked. */
  readonly begins_ms: number
  /** Of the transfer, from when it is sent to its expiration. */
  readonly valid_ms: number
  readonly user: User
  /** Of the payee FSP. */
  readonly answers: readonly PayeeAnswer[]
}

export interface PlannedRevocation {
  readonly by: 'PISP' | 'DFSP'
  /** A DFSP may also tell it to the PISP alone, by PATCH. */
  readonly how: 'DELETE' | 'PATCH'
  /** After the account is linked. */
  readonly begins_ms: number
}

export interface PlannedLink {
  readonly begins_ms: number
  /** A key on an authenticator; else a plain one. */
  readonly isFido?: true
  /** Whether the credential of the user proves that the user has the key. */
  readonly credential: 'RIGHT' | 'FORGED'
  /** The DFSP verifies the key and what it signs itself, without the auth service. */
  readonly isVerifiedByDfsp?: true
  /** Each side sends what it has sent once more. */
  readonly repeats?: true
  readonly payments: readonly PlannedLinkPayment[]
  readonly revocation?: PlannedRevocation
}

const users = ['SIGNS', 'SIGNS', 'SIGNS', 'SIGNS', 'REFUSES', 'FORGES', 'LATE', 'SILENT'] as const
const answers: readonly (readonly PayeeAnswer[])[] = [['FULFIL'], ['FULFIL'], ['JUST'], ['REJECT']]

export function linkBy(chance: Chance): PlannedLink {
  const isVerifiedByDfsp = chance.happens(0.2)
  return {
    begins_ms: chance.below(500),
    ...(chance.happens(0.4) ? { isFido: true } : {}),
    credential: chance.happens(0.9) ? 'RIGHT' : 'FORGED',
    ...(isVerifiedByDfsp ? { isVerifiedByDfsp } : {}),
    payments: Array.from({ length: 1 + chance.below(2) }, () => paymentBy(chance)),
    ...(chance.happens(0.4) ? { repeats: true } : {}),
    ...(chance.happens(0.5) ? { revocation: revocationBy(chance, isVerifiedByDfsp) } : {}),
  }
}

function paymentBy(chance: Chance): PlannedLinkPayment {
  return {
    payee: 'river',
    amount: chance.oneOf(['1', '2.5']),
    begins_ms: chance.below(1_000),
    valid_ms: 2_000 + chance.below(3_000),
    user: chance.oneOf(users),
    answers: chance.oneOf(answers),
  }
}

/** Where the hub has no consent, its DFSP can only tell the PISP. */
function revocationBy(chance: Chance, isVerifiedByDfsp: boolean): PlannedRevocation {
  const begins_ms = chance.below(1_500)
  return chance.oneOf<PlannedRevocation>([
    { by: 'PISP', how: 'DELETE', begins_ms },
    { by: 'DFSP', how: isVerifiedByDfsp ? 'PATCH' : 'DELETE', begins_ms },
    { by: 'DFSP', how: 'PATCH', begins_ms },
  ])
}
