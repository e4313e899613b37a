/** What a PISP asks for when it links accounts, and how that ends. */
import type { ErrorInformation } from '@causeway/fspiop'
import type { Ended } from '../../asking.ts'
import type { Failed } from '../../errors.ts'
import type { Channel, Credential, Scope } from '../consent.ts'

export interface LinkOrder {
  /** A new UUID when left out. */
  readonly consentRequestId?: string
  readonly dfspId: string
  /** What the user is known by at the DFSP. */
  readonly userId: string
  readonly scopes: readonly Scope[]
  /** What the PISP can do; the DFSP chooses one. */
  readonly channels: readonly Channel[]
  /** Where the user comes back to; needed for WEB. */
  readonly callbackUri?: string
  /**
   * What the user was given at the DFSP: on the channel WEB the secret with which the user comes back,
   * on OTP the one-time password; undefined: the user does not want to go on. Asked again after a token
   * that was wrong.
   */
  readonly authenticate: (asked: Authentication) => Promise<string | undefined>
  /** The user's key for this consent; undefined: the user does not want to go on. */
  readonly createCredential: (asked: CredentialWish) => Promise<Credential | undefined>
  /** For all of it, the user's part included (600,000). */
  readonly patience_ms?: number
}

export interface Authentication {
  readonly consentRequestId: string
  readonly channel: Channel
  /** Where the user logs in, on the channel WEB. */
  readonly authUri: string | undefined
  /** 1, and more after tokens that were wrong. */
  readonly attempt: number
}

export interface CredentialWish {
  readonly consentId: string
  /** What the DFSP's user has allowed in the end. */
  readonly scopes: readonly Scope[]
  /** 32 bytes for the authenticator; a GENERIC key signs their base64url text. */
  readonly challenge: Buffer
}

export type LinkingLeg = 'request' | 'authentication' | 'credential'

export type LinkResult = {
  readonly consentRequestId: string
  /** Milliseconds, without the user's own part in `authenticate` and `createCredential`. */
  readonly ms: number
} & (
  | { readonly state: 'LINKED'; readonly consentId: string; readonly scopes: readonly Scope[] }
  | {
      /** Nothing was linked: an error, a refusal of the hub, or a silence (2004). */
      readonly state: 'FAILED'
      readonly leg: LinkingLeg
      readonly error: ErrorInformation
      readonly consentId?: string
    }
  /** The user did not go on. */
  | { readonly state: 'DECLINED'; readonly leg: LinkingLeg; readonly consentId?: string }
)

export type UnlinkResult = Ended<
  { readonly state: 'UNLINKED'; readonly revokedAt: string } | Failed
>
