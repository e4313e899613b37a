/** Messages that a DFSP and a PISP both receive, each about its own consents. */
import type { InboundHandler, InboundHandlers } from '../inbound.ts'

const shared = ['PUT /consents/{ID}', 'PATCH /consents/{ID}', 'PUT /consents/{ID}/error'] as const

/** The PISP's handler comes first: it knows its consents, and all others are the DFSP's. */
export function thirdPartyHandlers(pisp: InboundHandlers, dfsp: InboundHandlers): InboundHandlers {
  const both = shared.map((operation) => [operation, either(pisp[operation], dfsp[operation])])
  return { ...pisp, ...dfsp, ...(Object.fromEntries(both) as InboundHandlers) }
}

function either(
  first: InboundHandler | undefined,
  second: InboundHandler | undefined,
): InboundHandler {
  return (message) => {
    const handled = first?.(message) ?? 'NOT_MINE'
    return handled === 'NOT_MINE' ? (second?.(message) ?? 'NOT_MINE') : handled
  }
}
