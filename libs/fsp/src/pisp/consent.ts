/**
 * A user's consent for a PISP at a DFSP, in the form of the messages. Third-Party API 1.0, section
 * 3.2.
 */
import type { FidoAssertion, FidoAttestation } from './authenticator.ts'

/** How a user authenticates to the DFSP for the consent. */
export type Channel = 'WEB' | 'OTP'

/** An account that a DFSP offers for linking. */
export interface LinkableAccount {
  /** Opaque, chosen by the DFSP; a PISP identifies the account by it alone. */
  readonly address: string
  /** ISO 4217. */
  readonly currency: string
  readonly accountNickname?: string
}

/** The actions on an account: ACCOUNTS_GET_BALANCE, ACCOUNTS_TRANSFER, ACCOUNTS_STATEMENT. */
export interface Scope {
  readonly address: string
  readonly actions: readonly string[]
}

/** The action that a payment needs. */
export const transferAction = 'ACCOUNTS_TRANSFER'

/** A scope as a message has it: some write `accountId` for `address`. */
export interface WrittenScope {
  readonly address?: string | undefined
  readonly accountId?: string | undefined
  readonly actions: readonly string[]
}

/** Without other members that a message may carry there. */
export function readScopes(written: readonly WrittenScope[]): readonly Scope[] {
  return written.map(({ address, accountId, actions }) => ({
    address: address ?? accountId ?? '',
    actions,
  }))
}

/** The key that a user signs payments with, before and after its verification. */
export type Credential =
  | { readonly credentialType: 'FIDO'; readonly fidoPayload: FidoAttestation }
  | {
      readonly credentialType: 'GENERIC'
      readonly genericPayload: { readonly publicKey: string; readonly signature: string }
    }

/** What a user has signed to authorize a payment. */
export type SignedPayload =
  | { readonly signedPayloadType: 'FIDO'; readonly fidoSignedPayload: FidoAssertion }
  | { readonly signedPayloadType: 'GENERIC'; readonly genericSignedPayload: string }

/** The key in a message; undefined when its payload is missing. */
export function readCredential({
  credentialType,
  payload,
  fidoPayload,
  genericPayload,
}: WrittenCredential): Credential | undefined {
  if (credentialType === 'FIDO') {
    const attestation = fidoPayload ?? payload
    return attestation && { credentialType, fidoPayload: attestation as FidoAttestation }
  }
  const pair: Partial<GenericPayload> | undefined = genericPayload ?? payload
  if (typeof pair?.publicKey !== 'string' || typeof pair.signature !== 'string') return undefined
  const { publicKey, signature } = pair
  return { credentialType, genericPayload: { publicKey, signature } }
}

type GenericPayload = (Credential & { readonly credentialType: 'GENERIC' })['genericPayload']

interface WrittenCredential {
  readonly credentialType: 'FIDO' | 'GENERIC'
  readonly payload?: object | undefined
  readonly fidoPayload?: object | undefined
  readonly genericPayload?: object | undefined
}

/** The signed payload in a message; undefined when it is missing. */
export function readSigned({
  signedPayloadType,
  fidoSignedPayload,
  genericSignedPayload,
}: {
  readonly signedPayloadType: 'FIDO' | 'GENERIC'
  readonly fidoSignedPayload?: object | undefined
  readonly genericSignedPayload?: string | undefined
}): SignedPayload | undefined {
  if (signedPayloadType === 'FIDO') {
    return (
      fidoSignedPayload && {
        signedPayloadType,
        fidoSignedPayload: fidoSignedPayload as FidoAssertion,
      }
    )
  }
  return genericSignedPayload === undefined
    ? undefined
    : { signedPayloadType, genericSignedPayload }
}
