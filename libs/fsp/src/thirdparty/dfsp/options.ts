/** What a DFSP is asked by the library; all that is left out refuses. */
import type { RelyingPartyPolicy } from '@causeway/credentials'
import type { Amount } from '../../amount.ts'
import type { Account, Channel } from '../consent.ts'
import type { Link } from './link.ts'
import type { PayerAccount, PispOutcome } from './payment.ts'

type Later<Value> = Value | Promise<Value>

export interface DfspOptions {
  /** The accounts of a user that may be linked; none for a user whom the DFSP does not know. */
  readonly accountsOf: (userId: string) => Later<readonly Account[]>
  /** What a PISP may ask for; payments alone (ACCOUNTS_TRANSFER) when left out. */
  readonly actions?: readonly string[]
  /** How users prove who they are, in the order of preference; WEB, then OTP, when left out. */
  readonly channels?: readonly Channel[]
  /** Where users may be sent back to after they have logged in; nowhere when left out. */
  readonly isTrustedUri?: (callbackUri: string, pispId: string) => boolean
  /** Where a user logs in to grant this request; without it there is no channel WEB. */
  readonly authUriOf?: (consentRequestId: string) => string
  /** Sends a one-time password (six digits) to the user; without it there is no channel OTP. */
  readonly sendOtp?: (userId: string, otp: string) => Later<void>
  /** The account behind an address, when a PISP asks for a payment of this amount from it. */
  readonly payerAccount: (address: string, amount: Amount) => Later<PayerAccount>

  /**
   * Who checks users' signatures: the DFSP itself, or the auth service of this name. The hub's own,
   * `centralAuth`, when left out.
   */
  readonly verification?:
    { readonly by: 'ITSELF' } | { readonly by: 'AUTH_SERVICE'; readonly name: string }

  /** At which sites and apps keys may be made and used, where the DFSP checks them itself. */
  readonly relyingParties?: RelyingPartyPolicy

  /** The consents that the DFSP has stored. */
  readonly links?: Iterable<Link>
  /** Told of each change of a consent, so that it can be stored. */
  readonly onLink?: (link: Link) => void
  /** Told once of each payment that a PISP asked for and that was accepted. */
  readonly onPayment?: (payment: ThirdPartyPayment) => void

  /** A consent ends so long after it was granted; it holds until it is revoked when left out. */
  readonly consent_ms_max?: number
  /** A user has so long to log in, or to enter the one-time password (600,000). */
  readonly token_ms_max?: number
  /** How often a token may be given, wrong ones included (3). */
  readonly attempts_max?: number
}

/** What became of a payment that a PISP asked for. */
export interface ThirdPartyPayment {
  readonly transactionRequestId: string
  readonly transactionId: string
  readonly consentId: string
  readonly pispId: string
  /** Undefined: it did not come to a transfer. */
  readonly transferId: string | undefined
  readonly outcome: PispOutcome
}
