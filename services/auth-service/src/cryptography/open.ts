/**
 * Opens the keys of the hub: those that it uses for others, those of components, of payment requests and of
 * months.
 */
import type { Seal } from '@causeway/keys/provider'
import type { Ca } from '@causeway/pki'
import type { Database } from '@causeway/postgres'
import { periodically, StartError, type Periodic, type Service } from '@causeway/process'
import {
  componentKeysService,
  cryptographyService,
  keyManagementService,
  requestKeysService,
} from '@causeway/protos'
import { day_ms, deleteOld, hour_ms, together, type OwnParts } from '../own-parts.ts'
import type { Adapters } from './adapters.ts'
import { serveComponentKeys } from './component-keys/serve.ts'
import { openErasures } from './erasures/open.ts'
import { openHashes } from './hash.ts'
import { deletePinAttempts } from './pin-attempt-store.ts'
import { answerRandomNumbers } from './random-numbers.ts'
import { openRequestKey } from './request-keys/open.ts'
import { serveCryptography, serveKeyManagement } from './serve.ts'
import { lockEncryptedKeys, saveMaterial } from './store.ts'
import { openUseRate } from './uses.ts'

export interface CryptographyParts extends OwnParts {
  readonly seal: Seal
  readonly providers: Adapters
  readonly readCa: (() => Promise<Ca>) | undefined
}

/** How long a PIN block belongs to its account number. */
const pinBlocks_ms = 30 * day_ms
/** How long refused PIN blocks count, which is also how long a lock lasts. */
const lock_ms = hour_ms

/** Throws StartError if a stored key was encrypted with an unknown key, or for a setting with no months. */
export async function openCryptography(parts: CryptographyParts): Promise<Service> {
  const { settings, grpc, db, seal, log } = parts
  await reseal(db, seal)
  grpc.serve(componentKeysService, serveComponentKeys(parts))
  await openErasures(settings, parts)
  return together(log, [
    await serveRequestKey(parts),
    await serveKeys(parts),
    deleteOld(log, 'old PIN attempts', (before) =>
      deletePinAttempts(db, { blocks: before(pinBlocks_ms), refusals: before(lock_ms) }),
    ),
  ])
}

async function serveRequestKey({ grpc, db, seal, log }: CryptographyParts): Promise<Periodic> {
  const { handlers, rotate } = await openRequestKey(db, seal)
  grpc.serve(requestKeysService, handlers)
  const name = 'rotation of the key for payment requests'
  return periodically(hour_ms, () => rotate(), { log, name })
}

/** Keys that the hub uses for others. */
function serveKeys(parts: CryptographyParts): Promise<Service> {
  const { settings, bounds, grpc, readCa } = parts
  const cryptography = {
    ...parts,
    generateHash: openHashes(),
    rate: openUseRate(bounds.keyUses_max),
    refusals_max: bounds.pinRefusals_max,
    lock_ms,
  }
  const life_ms = settings.AUTH_SERVICE_CERTIFICATE_LIFE_D * day_ms
  grpc.serve(cryptographyService, serveCryptography(cryptography))
  grpc.serve(keyManagementService, serveKeyManagement({ ...parts, readCa, life_ms }))
  return answerRandomNumbers(parts)
}

/** Encrypts the stored keys with the current key of the seal. */
async function reseal(db: Database, seal: Seal): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { id, material } of await lockEncryptedKeys(tx)) {
      if (seal.isCurrent(material, id)) continue
      const plain = seal.decrypt(material, id)
      if (plain === undefined) {
        throw new StartError(
          'AUTH_SERVICE_SECRETS_KEY is not the key that encrypted the stored keys.',
        )
      }
      await saveMaterial(tx, id, seal.encrypt(plain, id))
    }
  })
}
