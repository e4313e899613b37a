/** Reads the settings of the hub as a relying party. */
import { hash } from 'node:crypto'
import { isRelyingPartyId } from '@causeway/credentials'
import { listIn, StartError } from '@causeway/process'
import type { AuthServiceSettings } from '../../settings.ts'
import { originListFault, type RelyingParty } from './domain/relying-party.ts'

/** Throws StartError for an invalid id or list. */
export function relyingPartyOf(
  settings: Pick<AuthServiceSettings, 'AUTH_SERVICE_FIDO_RP_ID' | 'AUTH_SERVICE_FIDO_ORIGINS'>,
): RelyingParty {
  const id = settings.AUTH_SERVICE_FIDO_RP_ID
  if (!isRelyingPartyId(id)) {
    throw new StartError(
      `AUTH_SERVICE_FIDO_RP_ID: '${id}' is not a domain such as hub.example, in lower case; an IP address or a public suffix is none.`,
    )
  }
  const origins = listIn(settings.AUTH_SERVICE_FIDO_ORIGINS)
  if (origins.length === 0) throw new StartError('AUTH_SERVICE_FIDO_ORIGINS names no origin.')
  for (const origin of origins) {
    const fault = originListFault(origin, id)
    if (fault !== undefined) {
      throw new StartError(`AUTH_SERVICE_FIDO_ORIGINS: '${origin}' ${fault}.`)
    }
  }
  return { id, idHash: hash('sha256', id, 'base64url'), origins }
}
