import type { RelyingPartyPolicy } from '@causeway/credentials'

export const strict: RelyingPartyPolicy = {
  allowed: new Map(),
  acceptsNativeOrigins: false,
  acceptsLocalhost: false,
  acceptsCrossOrigin: false,
  requiresUserVerification: false,
}
