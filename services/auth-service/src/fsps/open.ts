/** Opens what identifies FSPs: their keys, secrets, certificates and tokens, and the pings that try them. */
import type { Ca } from '@causeway/pki'
import type { Service } from '@causeway/process'
import { credentialsService, keysService, pingsService } from '@causeway/protos'
import { onEvents } from '@causeway/events'
import type { SharedMemory } from '@causeway/runtime'
import { day_ms, deleteOld, together, type OwnParts } from '../own-parts.ts'
import { endCredentialsOfClosed } from './closed.ts'
import { openGuesses } from './credentials/guesses.ts'
import { serveCredentials } from './credentials/serve.ts'
import type { TokenKeys } from './credentials/token-keys.ts'
import { openFsps } from './find-fsp.ts'
import { serveKeys } from './keys/serve.ts'
import { openPingHandle, pingEvents } from './pings/handle.ts'
import { servePings } from './pings/serve.ts'
import { deletePings } from './pings/store.ts'
import { openWarnings } from './warnings/open.ts'

export interface FspParts extends OwnParts {
  readonly tokenKeys: TokenKeys
  readonly readCa: (() => Promise<Ca>) | undefined
  readonly shared: SharedMemory
  /** On which FSPs are warned before a key or certificate ends. */
  readonly days: readonly number[]
}

/** Older pings are deleted; the last one of an FSP is always retained. */
const pingsKept_ms = 30 * day_ms

export async function openFspCredentials(parts: FspParts): Promise<Service> {
  const { bounds, bus, grpc, db, measures, log, shared } = parts
  const findFsp = openFsps(grpc)
  const guesses = openGuesses({ wrong_max: bounds.wrongSecrets_max })
  const sharing = shared.shareUse('auth-service/wrong-secrets', guesses.shared)
  grpc.serve(keysService, serveKeys({ db, bus, findFsp }))
  grpc.serve(
    credentialsService,
    serveCredentials({ ...parts, ...termsOf(parts), findFsp, guesses }),
  )
  grpc.serve(pingsService, servePings(db))
  const stopping = new AbortController()
  const onStored = ({ identity }: { readonly identity: string }) => measures.ping(identity)
  const handlePings = openPingHandle({ db, bus, onStored })
  return together(log, [
    sharing,
    await endCredentialsOfClosed({ db, bus, grpc, log, signal: stopping.signal }),
    await onEvents(bus, 'auth_service', pingEvents, (events) => handlePings(events)),
    await openWarnings(parts, parts),
    deleteOld(log, 'old pings', async (before) => {
      await deletePings(db, before(pingsKept_ms))
    }),
    { stop: () => stopping.abort() },
  ])
}

/** What credentials say, and how long they are valid. */
function termsOf({ settings, bounds }: OwnParts) {
  return {
    hubName: settings.HUB_NAME,
    life_s: bounds.tokenLife_s,
    life_ms: settings.AUTH_SERVICE_CERTIFICATE_LIFE_D * day_ms,
  }
}
