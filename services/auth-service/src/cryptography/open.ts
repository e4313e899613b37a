/** Opens cryptography: the providers, what they serve, and the requests that come as events. */
import { cryptographyService, keyManagementService } from '@causeway/protos'
import type { Seal } from '@causeway/crypto-provider'
import type { Ca } from '@causeway/pki'
import type { Database } from '@causeway/postgres'
import { StartError, type Logger, type Service } from '@causeway/process'
import type { ProcessParts } from '@causeway/runtime'
import type { Settings } from '../settings.ts'
import type { Adapters } from './adapters.ts'
import { openHashes } from './hash.ts'
import { answerRandomNumbers } from './random-numbers.ts'
import { serveCryptography, serveKeyManagement } from './serve.ts'
import { lockEncryptedKeys, saveMaterial } from './store.ts'

export interface OpenParts extends Pick<ProcessParts, 'bus' | 'grpc'> {
  readonly db: Database
  readonly seal: Seal
  readonly providers: Adapters
  readonly readCa: (() => Promise<Ca>) | undefined
  readonly log: Logger
}

const day_ms = 86_400_000

/** Throws StartError if a stored key was encrypted with an unknown key. */
export async function openCryptography(
  settings: Settings,
  { bus, grpc, db, seal, providers, readCa, log }: OpenParts,
): Promise<Service> {
  await reseal(db, seal)
  const parts = { db, bus, providers }
  const life_ms = settings.AUTH_SERVICE_CERTIFICATE_LIFE_D * day_ms
  grpc.serve(cryptographyService, serveCryptography({ ...parts, generateHash: openHashes() }))
  grpc.serve(keyManagementService, serveKeyManagement({ ...parts, readCa, life_ms }))
  return answerRandomNumbers({ ...parts, log })
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
