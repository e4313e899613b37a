/** A PISP's order to link accounts, and its result. */
import type { ErrorInformation } from '@causeway/fspiop'
import type { TimedResult } from '../../pending-requests.ts'
import type { Failed } from '../../errors.ts'
import type { Channel, Credential, Scope } from '../consent.ts'

export interface LinkOrder {
  /** A new UUID when left out. */
  readonly consentRequestId?: string
  readonly dfspId: string
  /** The user's identifier at the DFSP. */
  readonly userId: string
  readonly scopes: readonly Scope[]
  /** The channels that the PISP supports; the DFSP chooses one. */
  readonly channels: readonly Channel[]
  /** Where the DFSP sends the user back to; required for WEB. */
  readonly callbackUri?: string
  /**
   * The user's token from the DFSP: on the channel WEB the secret from the callback URI, on OTP the
   * one-time password; undefined: the user cancels. Called again after a wrong token.
   */
  readonly authenticate: (asked: Authentication) => Promise<string | undefined>
  /** The user's key for this consent; undefined: the user cancels. */
  readonly createCredential: (asked: CredentialRequest) => Promise<Credential | undefined>
  /** For the whole linking, the user's part included (600,000). */
  readonly answerTimeout_ms?: number
}

export interface Authentication {
  readonly consentRequestId: string
  readonly channel: Channel
  /** Where the user logs in, on the channel WEB. */
  readonly authUri: string | undefined
  /** 1, and more after tokens that were wrong. */
  readonly attempt: number
}

export interface CredentialRequest {
  readonly consentId: string
  /** What the user has finally allowed at the DFSP. */
  readonly scopes: readonly Scope[]
  /** 32 bytes for the authenticator; a GENERIC key signs their base64url text. */
  readonly challenge: Buffer
}

export type LinkingLeg = 'request' | 'authentication' | 'credential'

export type LinkResult = {
  readonly consentRequestId: string
  /** Milliseconds, without the user's part in `authenticate` and `createCredential`. */
  readonly ms: number
} & (
  | { readonly state: 'LINKED'; readonly consentId: string; readonly scopes: readonly Scope[] }
  | {
      /** Nothing was linked: an error, a refusal of the hub, or no answer (2004). */
      readonly state: 'FAILED'
      readonly leg: LinkingLeg
      readonly error: ErrorInformation
      readonly consentId?: string
    }
  /** The user cancelled. */
  | { readonly state: 'DECLINED'; readonly leg: LinkingLeg; readonly consentId?: string }
)

export type UnlinkResult = TimedResult<
  { readonly state: 'UNLINKED'; readonly revokedAt: string } | Failed
>
