/** Messages that a DFSP and a PISP both get, each about consents of its own. */
import type { Hear, Hearers } from '../inbound.ts'

const shared = ['PUT /consents/{ID}', 'PATCH /consents/{ID}', 'PUT /consents/{ID}/error'] as const

/** The PISP's side is asked first: it knows its consents, and what it does not know is the DFSP's. */
export function thirdPartyHearers(pisp: Hearers, dfsp: Hearers): Hearers {
  const both = shared.map((operation) => [operation, either(pisp[operation], dfsp[operation])])
  return { ...pisp, ...dfsp, ...(Object.fromEntries(both) as Hearers) }
}

function either(first: Hear | undefined, second: Hear | undefined): Hear {
  return (message) => {
    const hearing = first?.(message) ?? 'NOT_MINE'
    return hearing === 'NOT_MINE' ? (second?.(message) ?? 'NOT_MINE') : hearing
  }
}
