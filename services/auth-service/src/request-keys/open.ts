/**
 * The key for payment requests: made once, the same in every replica, stored encrypted, and given only
 * to the edge and to transfers.
 */
import { randomBytes } from 'node:crypto'
import type { Seal } from '@causeway/crypto-provider'
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { StartError } from '@causeway/process'
import type { requestKeysService } from '@causeway/protos'
import { insertRequestKey, readRequestKey, saveRequestKey } from './store.ts'

const key_bytes = 32
const context = 'key for payment requests'

/** Throws StartError when the stored key was encrypted with another one. */
export async function openRequestKey(
  db: Database,
  seal: Seal,
): Promise<Handlers<typeof requestKeysService>> {
  await insertRequestKey(db, seal.encrypt(randomBytes(key_bytes), context))
  const stored = await readRequestKey(db)
  const key = stored && seal.decrypt(stored.key, context)
  if (stored === undefined || key === undefined) {
    throw new StartError(
      'AUTH_SERVICE_SECRETS_KEY is not the key that encrypted the stored key for payment requests.',
    )
  }
  if (!seal.isCurrent(stored.key, context)) {
    await saveRequestKey(db, stored.key, seal.encrypt(key, context))
  }
  const answer = { key, requiredFrom: stored.required_from.toISOString() }
  return { GetRequestKey: () => Promise.resolve(answer) }
}
