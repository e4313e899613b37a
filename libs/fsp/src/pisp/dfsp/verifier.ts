/** Verifies users' keys and signatures for a DFSP: an auth service, or the DFSP itself. */
import type { Verifier as StoredKey } from '@causeway/credentials'
import type { ErrorInformation } from '@causeway/fspiop'
import type { SignedPayload } from '../consent.ts'
import type { Link } from './link.ts'
import type { SignatureVerdict } from './payment.ts'

export type { StoredKey }

export type KeyRegistration =
  | { readonly error: ErrorInformation }
  /** What signatures are verified with; undefined: the auth service has it. */
  | { readonly key: StoredKey | undefined }

export interface Verifier {
  register(link: Link & { readonly state: 'CHECKING' }): Promise<KeyRegistration>
  /** @param challenge the text that the PISP was sent */
  verify(
    link: Link & { readonly state: 'VERIFIED' },
    challenge: string,
    signed: SignedPayload,
  ): Promise<SignatureVerdict>
  /** When it was revoked (ISO 8601), or why it was not. */
  revoke(link: Link): Promise<string | ErrorInformation>
}
