/** The DFSP's options. A feature that is left out refuses every request. */
import type { RelyingPartyPolicy } from '@causeway/credentials'
import type { Amount } from '../../amount.ts'
import type { LinkableAccount, Channel } from '../consent.ts'
import type { Link } from './link.ts'
import type { PayerAccount, PispOutcome } from './payment.ts'

type Later<Value> = Value | Promise<Value>

export interface DfspOptions {
  /** The accounts of a user that may be linked; none for a user whom the DFSP does not know. */
  readonly accountsOf: (userId: string) => Later<readonly LinkableAccount[]>
  /** The actions that a PISP may request; payments alone (ACCOUNTS_TRANSFER) when left out. */
  readonly actions?: readonly string[]
  /** How users authenticate, in the order of preference; WEB, then OTP, when left out. */
  readonly channels?: readonly Channel[]
  /** Where users may be sent back to after they have logged in; nowhere when left out. */
  readonly isTrustedUri?: (callbackUri: string, pispId: string) => boolean
  /** Where a user logs in to grant this request; without it there is no channel WEB. */
  readonly authUriOf?: (consentRequestId: string) => string
  /** Sends a one-time password (six digits) to the user; without it there is no channel OTP. */
  readonly sendOtp?: (userId: string, otp: string) => Later<void>
  /** The account behind an address, when a PISP requests a payment of this amount from it. */
  readonly payerAccount: (address: string, amount: Amount) => Later<PayerAccount>

  /**
   * What verifies users' signatures: the DFSP itself, or the auth service of this name. The hub's
   * own, `centralAuth`, when left out.
   */
  readonly verification?:
    | { readonly by: 'ITSELF' }
    | { readonly by: 'AUTH_SERVICE'; readonly name: string }

  /** The sites and apps where keys may be made and used, where the DFSP verifies them itself. */
  readonly relyingParties?: RelyingPartyPolicy

  /** The consents that the DFSP has stored. */
  readonly links?: Iterable<Link>
  /** Called for each change of a consent, so that it can be stored. */
  readonly onLink?: (link: Link) => void
  /** Called once for each payment that a PISP requested and the DFSP accepted. */
  readonly onPayment?: (payment: ThirdPartyPayment) => void

  /**
   * A consent ends so long after it was granted; when left out, it is valid until it is revoked.
   */
  readonly consent_ms_max?: number
  /** The time a user has to log in, or to enter the one-time password (600,000). */
  readonly token_ms_max?: number
  /** How often a token may be given, wrong ones included (3). */
  readonly attempts_max?: number
}

/** The outcome of a payment that a PISP requested. */
export interface ThirdPartyPayment {
  readonly transactionRequestId: string
  readonly transactionId: string
  readonly consentId: string
  readonly pispId: string
  /** Undefined: no transfer was made. */
  readonly transferId: string | undefined
  readonly outcome: PispOutcome
}
