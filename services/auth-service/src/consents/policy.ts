/** Reads the settings of allowed origins and relying parties of FIDO credentials. */
import type { Allowed, RelyingPartyPolicy } from '@causeway/credentials'
import { StartError } from '@causeway/process'
import type { Settings } from '../settings.ts'

/** Throws StartError for an invalid list. */
export function policyOf(settings: Settings): RelyingPartyPolicy {
  return {
    allowed: allowedIn(settings.AUTH_SERVICE_ORIGINS),
    acceptsNativeOrigins: settings.AUTH_SERVICE_NATIVE_ORIGINS === 'on',
    acceptsLocalhost: settings.AUTH_SERVICE_LOCALHOST_ORIGINS === 'on',
    acceptsCrossOrigin: settings.AUTH_SERVICE_CROSS_ORIGIN === 'on',
    requiresUserVerification: settings.AUTH_SERVICE_USER_VERIFICATION === 'on',
  }
}

function allowedIn(text: string): ReadonlyMap<string, Allowed> {
  const allowed = new Map<string, Allowed>()
  for (const entry of text.split(';')) {
    const [name, ...entries] = entry.split(' ').filter((word) => word !== '')
    if (name === undefined) continue
    // Only an origin has a colon: https://…, android:apk-key-hash:….
    const origins = entries.filter((text) => text.includes(':'))
    const rpIds = entries.filter((text) => !text.includes(':'))
    if (name.includes(':') || origins.length === 0 || rpIds.length === 0 || allowed.has(name)) {
      throw new StartError(
        `AUTH_SERVICE_ORIGINS: '${entry.trim()}' must be one PISP followed by its origins and relying-party ids, and each PISP may occur once.`,
      )
    }
    allowed.set(name, { origins, rpIds })
  }
  return allowed
}
