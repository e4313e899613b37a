/** The users of the sandbox PISP: their keys, browser and phone. */
import {
  createAuthenticator,
  createGenericKey,
  type Authentication,
  type Authenticator,
  type Credential,
  type CredentialRequest,
  type GenericKey,
  type SignedPayload,
} from '@causeway/fsp'
import { request } from 'undici'

export interface Users {
  /** Where the DFSP sends browsers back to. */
  callbackUri(): string
  /**
   * Logs in at the DFSP and allows what was requested; returns the secret from the callback URI.
   */
  logIn(asked: Authentication, addresses: readonly string[]): Promise<string | undefined>
  makeKey(kind: 'FIDO' | 'GENERIC', wish: CredentialRequest): Credential
  /** Undefined: the user has no key for the consent. */
  sign(consentId: string, challenge: string): SignedPayload | undefined
}

type Key =
  | { readonly kind: 'FIDO'; readonly device: Authenticator }
  | { readonly kind: 'GENERIC'; readonly pair: GenericKey }

/** The origin of the sandbox PISP's app, for the authenticators of its users. */
const origin = 'https://lemonpay.example'

export function openUsers(url: () => string): Users {
  const keys = new Map<string, Key>()
  const callbackUri = () => `${url()}/linked`
  return {
    callbackUri,
    async logIn({ authUri }, addresses) {
      if (authUri === undefined) return undefined
      const form = new URLSearchParams(
        addresses.map((address): [string, string] => ['account', address]),
      )
      const answer = await request(authUri, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
      })
      await answer.body.dump()
      const { location } = answer.headers
      if (typeof location !== 'string' || !location.startsWith(callbackUri())) return undefined
      return new URL(location).searchParams.get('authToken') ?? undefined
    },
    makeKey(kind, { consentId, challenge }) {
      if (kind === 'FIDO') {
        const device = createAuthenticator()
        keys.set(consentId, { kind, device })
        const fidoPayload = device.register({ challenge, origin })
        return { credentialType: kind, fidoPayload }
      }
      const pair = createGenericKey()
      keys.set(consentId, { kind, pair })
      const signature = pair.sign(challenge.toString('base64url'))
      return { credentialType: kind, genericPayload: { publicKey: pair.publicKey, signature } }
    },
    sign(consentId, challenge) {
      const key = keys.get(consentId)
      if (key === undefined) return undefined
      if (key.kind === 'GENERIC') {
        const genericSignedPayload = key.pair.sign(challenge)
        return { signedPayloadType: 'GENERIC', genericSignedPayload }
      }
      const bytes = Buffer.from(challenge, 'base64url')
      const fidoSignedPayload = key.device.assert({ challenge: bytes, origin })
      return { signedPayloadType: 'FIDO', fidoSignedPayload }
    },
  }
}
