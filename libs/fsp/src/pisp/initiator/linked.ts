/** The consents of a PISP's users, as the PISP has received them. */
import type { Credential, Scope } from '../consent.ts'

/** GRANTED: the user's key is not verified yet. */
export interface LinkedConsent {
  readonly consentId: string
  readonly consentRequestId: string
  readonly dfspId: string
  readonly scopes: readonly Scope[]
  readonly state: 'GRANTED' | 'VERIFIED' | 'REVOKED'
  readonly credential: Credential | undefined
}

export interface LinkedConsents {
  get(consentId: string): LinkedConsent | undefined
  put(consent: LinkedConsent): void
  values(): Iterable<LinkedConsent>
}

export function openLinkedConsents(
  stored: Iterable<LinkedConsent>,
  onConsent: (consent: LinkedConsent) => void,
): LinkedConsents {
  const all = new Map<string, LinkedConsent>()
  for (const consent of stored) all.set(consent.consentId, consent)
  return {
    get: (consentId) => all.get(consentId),
    put(consent) {
      all.set(consent.consentId, consent)
      onConsent(consent)
    },
    values: () => all.values(),
  }
}
