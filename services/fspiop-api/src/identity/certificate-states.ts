/** Which client certificates identify their FSP, of those that the scheme's CA has issued. */
import type { Logger } from '@causeway/process'
import type { FspCertificates } from './fsp-certificates.ts'
import type { ClientCertificate, JudgeCertificate } from './identity.ts'
import type { Reason } from '../refusals.ts'
import type { RevocationLists } from './revocation-lists.ts'

export interface CertificateRules {
  readonly certificates: FspCertificates
  /** Whether one that nobody registered identifies its FSP too. */
  readonly acceptsUnregistered: boolean
  /** Undefined: none are used. */
  readonly lists: RevocationLists | undefined
  readonly now_ms: () => number
  readonly log: Logger
}

export function openCertificateStates({
  certificates,
  acceptsUnregistered,
  lists,
  now_ms,
  log,
}: CertificateRules): JudgeCertificate {
  const reasonOf = (state: Awaited<ReturnType<FspCertificates['stateOf']>>): Reason | undefined => {
    switch (state) {
      case 'REGISTERED':
        return undefined
      case 'REVOKED':
        return 'CERTIFICATE_REVOKED'
      case 'UNREGISTERED':
        return acceptsUnregistered ? undefined : 'CERTIFICATE_UNREGISTERED'
    }
  }
  return ({ name, fingerprint, validTo_ms, serial, issuer }: ClientCertificate) => {
    // A connection may last longer than the certificate that it began with.
    if (validTo_ms !== undefined && validTo_ms <= now_ms()) return 'CERTIFICATE_ENDED'
    const listed =
      serial === undefined || issuer === undefined ? undefined : lists?.faultOf(issuer, serial)
    if (listed !== undefined) return listed
    if (fingerprint === undefined) {
      return acceptsUnregistered ? undefined : 'CERTIFICATE_UNREGISTERED'
    }
    const state = certificates.stateOf(name, fingerprint)
    if (!(state instanceof Promise)) return reasonOf(state)
    return state.then(reasonOf, (error: unknown) => {
      log.warn({ err: error }, 'a certificate could not be checked')
      return 'CERTIFICATES_UNAVAILABLE'
    })
  }
}
