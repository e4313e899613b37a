/** A PISP: finds and links its users' accounts, and pays from them. */
import type { InboundHandlers } from '../../inbound.ts'
import { type AccountsResult, openDiscovery, type ProvidersResult } from './discovery.ts'
import type { LinkedConsent } from './linked.ts'
import type { LinkOrder, LinkResult, UnlinkResult } from './link-order.ts'
import { type LinkingOptions, openLinking } from './linking.ts'
import {
  openPaying,
  type PayingOptions,
  type ThirdPartyOrder,
  type ThirdPartyResult,
} from './paying.ts'

export interface PispOptions {
  /** The auth service that the scheme's DFSPs use; `centralAuth` when left out. */
  readonly authService?: string
  /** The consents that the PISP has stored. */
  readonly consents?: Iterable<LinkedConsent>
  /** Called for each change of a consent, so that it can be stored. */
  readonly onConsent?: (consent: LinkedConsent) => void
}

export interface Pisp {
  /** The DFSPs where accounts can be linked; fetched again when the list is a day old. */
  providers(): Promise<ProvidersResult>
  /** The accounts of a user, by the user's identifier at the DFSP. */
  accounts(dfspId: string, userId: string): Promise<AccountsResult>
  link(order: LinkOrder): Promise<LinkResult>
  unlink(consentId: string): Promise<UnlinkResult>
  pay(order: ThirdPartyOrder): Promise<ThirdPartyResult>
  /** All consents, including those that have ended. */
  consents(): Iterable<LinkedConsent>
}

export function openPisp(
  parts: LinkingOptions & PayingOptions,
): Pisp & { readonly handlers: InboundHandlers; close(): void } {
  const discovery = openDiscovery(parts)
  const linking = openLinking(parts)
  const paying = openPaying(parts)
  return {
    providers: () => discovery.providers(),
    accounts: (dfspId, userId) => discovery.accounts(dfspId, userId),
    link: (order) => linking.link(order),
    unlink: (consentId) => linking.unlink(consentId),
    pay: (order) => paying.pay(order),
    consents: () => linking.consents(),
    handlers: { ...discovery.handlers, ...linking.handlers, ...paying.handlers },
    close() {
      for (const part of [discovery, linking, paying]) part.close()
    },
  }
}
