/** A DFSP's consents by their id and by the accounts in their scopes. */
import type { Link } from './link.ts'

export interface Links {
  get(consentId: string): Link | undefined
  /** All that name the account, in any state. */
  ofAddress(address: string): Iterable<Link>
  /** Replaces the one with the same id. */
  put(link: Link): void
  values(): Iterable<Link>
}

export function openLinks(stored: Iterable<Link>, onLink: (link: Link) => void): Links {
  const byId = new Map<string, Link>()
  /** Scopes never change, so the index entries of an id stay valid. */
  const idsByAddress = new Map<string, Set<string>>()

  function add(link: Link): void {
    byId.set(link.consentId, link)
    for (const { address } of link.scopes) {
      const ids = idsByAddress.get(address) ?? new Set()
      idsByAddress.set(address, ids.add(link.consentId))
    }
  }

  for (const link of stored) add(link)
  return {
    get: (consentId) => byId.get(consentId),
    ofAddress: (address) =>
      [...(idsByAddress.get(address) ?? [])].flatMap((consentId) => byId.get(consentId) ?? []),
    put(link) {
      if (byId.get(link.consentId) === link) return
      add(link)
      onLink(link)
    },
    values: () => byId.values(),
  }
}
