/** Reads the settings of allowed origins, relying parties and makers of FIDO credentials. */
import type { X509Certificate } from 'node:crypto'
import {
  isOriginOf,
  isRelyingPartyId,
  type Allowed,
  type RelyingPartyPolicy,
} from '@causeway/credentials'
import { StartError } from '@causeway/process'
import { authoritiesIn } from '../authority-files.ts'
import type { AuthServiceSettings } from '../settings.ts'

/** Throws StartError for an invalid list. */
export function policyOf(settings: AuthServiceSettings): RelyingPartyPolicy {
  return {
    allowed: allowedIn(settings.AUTH_SERVICE_ORIGINS),
    acceptsNativeOrigins: settings.AUTH_SERVICE_NATIVE_ORIGINS === 'on',
    acceptsLocalhost: settings.AUTH_SERVICE_LOCALHOST_ORIGINS === 'on',
    acceptsCrossOrigin: settings.AUTH_SERVICE_CROSS_ORIGIN === 'on',
    requiresUserVerification: settings.AUTH_SERVICE_USER_VERIFICATION === 'on',
  }
}

/** Throws StartError for a file without certificates. */
export function attestationRoots(
  settings: AuthServiceSettings,
): Promise<readonly X509Certificate[]> {
  const { AUTH_SERVICE_ATTESTATION_ROOTS_FILE: file } = settings
  return authoritiesIn('AUTH_SERVICE_ATTESTATION_ROOTS_FILE', file)
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
    const fault = faultOf({ origins, rpIds })
    if (fault !== undefined) {
      throw new StartError(`AUTH_SERVICE_ORIGINS: '${entry.trim()}': ${fault}.`)
    }
    allowed.set(name, { origins, rpIds })
  }
  return allowed
}

function faultOf({ origins, rpIds }: Allowed): string | undefined {
  const rpId = rpIds.find((id) => !isRelyingPartyId(id))
  if (rpId !== undefined) return `${rpId} is an IP address, a public suffix or no domain`
  const ofWeb = origins.filter((origin) => /^https?:/.test(origin))
  const stray = ofWeb.find((origin) => !rpIds.some((id) => isOriginOf(origin, id)))
  return stray && `${stray} is at none of its relying parties`
}
