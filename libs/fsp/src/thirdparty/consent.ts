/** What a user allows a PISP at a DFSP, as both sides write it. Third-Party API 1.0, section 3.2. */
import type { FidoAssertion, FidoAttestation } from './authenticator.ts'

/** How a user proves to the DFSP that the consent is theirs. */
export type Channel = 'WEB' | 'OTP'

/** An account that a DFSP offers for linking. */
export interface Account {
  /** Opaque, chosen by the DFSP; the only name of the account that a PISP learns. */
  readonly address: string
  /** ISO 4217. */
  readonly currency: string
  readonly accountNickname?: string
}

/** What may be done with an account: ACCOUNTS_GET_BALANCE, ACCOUNTS_TRANSFER, ACCOUNTS_STATEMENT. */
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

/** Without what else a message may say there. */
export function readScopes(written: readonly WrittenScope[]): readonly Scope[] {
  return written.map(({ address, accountId, actions }) => ({
    address: address ?? accountId ?? '',
    actions,
  }))
}

/** The key that a user pays with, before and after it was checked. */
export type Credential =
  | { readonly credentialType: 'FIDO'; readonly fidoPayload: FidoAttestation }
  | {
      readonly credentialType: 'GENERIC'
      readonly genericPayload: { readonly publicKey: string; readonly signature: string }
    }

/** What a user has signed to let a payment go. */
export type SignedPayload =
  | { readonly signedPayloadType: 'FIDO'; readonly fidoSignedPayload: FidoAssertion }
  | { readonly signedPayloadType: 'GENERIC'; readonly genericSignedPayload: string }

/** The key as a message has it; undefined when its payload is missing. */
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

/** What was signed as a message has it; undefined when it is missing. */
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
