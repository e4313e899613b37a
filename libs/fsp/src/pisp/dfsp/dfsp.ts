/** A DFSP's side of the Third-Party API: its users' consents, and payments that PISPs request. */
import type { ErrorInformation } from '@causeway/fspiop'
import type { HubLink } from '../../hub/link.ts'
import type { InboundHandlers } from '../../inbound.ts'
import type { Associations } from '../../parties/associations.ts'
import type { PaymentOrder, PaymentResult } from '../../payments/payment.ts'
import type { Scope } from '../consent.ts'
import { openAuthService } from './auth-service.ts'
import { openAuthorizations } from './authorizations.ts'
import { openConsents } from './consents.ts'
import { localVerifier } from './local-verifier.ts'
import type { Link } from './link.ts'
import { openLinks } from './links.ts'
import type { DfspOptions } from './options.ts'
import { thirdPartyPaymentHandlers } from './payments.ts'
import { type LinkingChoices, openConsentRequests } from './requests.ts'

export interface Dfsp {
  /** The choices for the page where a user logs in; undefined: there is no such request. */
  choicesOf(consentRequestId: string): Promise<LinkingChoices | undefined>
  /**
   * The user has logged in and allows these scopes. Returns the address that the browser opens
   * next, with the secret for the PISP; undefined: the request has ended, or these scopes are not
   * the user's to grant.
   */
  grant(consentRequestId: string, scopes: readonly Scope[]): Promise<string | undefined>
  /** The user refuses: the PISP is informed (6102). */
  decline(consentRequestId: string): void
  /** Ends a consent; undefined: it has ended already. */
  unlink(consentId: string): Promise<ErrorInformation | undefined>
  /** All consents, including those that have ended. */
  links(): Iterable<Link>
}

export interface DfspParts {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly associations: Pick<Associations, 'associate' | 'disassociate'>
  readonly pay: (order: PaymentOrder) => Promise<PaymentResult>
  readonly resolve: (result: PaymentResult) => Promise<PaymentResult | undefined>
  readonly resendAfter_ms: number
  readonly answerTimeout_ms: number
  readonly remembered_max: number
}

/** For an FSP without users of PISPs: refuses every request. */
export const noDfsp: DfspOptions = {
  accountsOf: () => [],
  payerAccount: () => ({ state: 'UNKNOWN' }),
}

/** The hub's own auth service. */
export const authService_usually = 'centralAuth'

/** The auth service that a DFSP uses; undefined: the DFSP verifies signatures itself. */
export function authServiceOf({ verification }: DfspOptions): string | undefined {
  if (verification === undefined) return authService_usually
  return verification.by === 'ITSELF' ? undefined : verification.name
}

export function openDfsp(
  parts: DfspParts,
  dfsp: DfspOptions,
): Dfsp & { readonly handlers: InboundHandlers; close(): void } {
  const links = openLinks(dfsp.links ?? [], dfsp.onLink ?? (() => undefined))
  const authorizations = openAuthorizations(parts)
  const name = authServiceOf(dfsp)
  const messages = name === undefined ? undefined : openAuthService({ ...parts, authService: name })
  const verifier = messages ?? localVerifier(links, dfsp.relyingParties)
  const own = { ...parts, dfsp, links, authorizations, verifier }
  const authService = name === undefined || messages === undefined ? undefined : { name, messages }
  const requests = openConsentRequests(own)
  const consents = openConsents({ ...own, authService })
  return {
    choicesOf: (id) => requests.choicesOf(id),
    grant: (id, scopes) => requests.grant(id, scopes),
    decline: (id) => requests.decline(id),
    unlink: (id) => consents.unlink(id),
    links: () => links.values(),
    handlers: {
      ...requests.handlers,
      ...consents.handlers,
      ...authorizations.handlers,
      ...thirdPartyPaymentHandlers(own),
      ...(messages === undefined
        ? {}
        : {
            'PUT /thirdpartyRequests/verifications/{ID}': (message) =>
              messages.takeVerification(message),
            'PUT /thirdpartyRequests/verifications/{ID}/error': (message) =>
              messages.takeVerificationError(message),
          }),
    },
    close() {
      authorizations.close()
      messages?.close()
    },
  }
}
