/**
 * The key for payment requests: the same in every replica, stored encrypted, given only to the edge and to
 * transfers, and replaced after 30 days. The one before it is given too, so that no request is refused that
 * is on its way, or whose edge has not read the new one.
 */
import { randomBytes } from 'node:crypto'
import type { Seal } from '@causeway/keys/provider'
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { StartError } from '@causeway/process'
import type { requestKeysService } from '@causeway/protos'
import {
  insertRequestKey,
  readRequestKey,
  rotateRequestKey,
  saveRequestKey,
  type StoredRequestKey,
} from './store.ts'

export interface RequestKeyHandlers {
  readonly handlers: Handlers<typeof requestKeysService>
  /** Replaces a key that is old; called from time to time. */
  readonly rotate: () => Promise<void>
}

const key_bytes = 32
const context = 'key for payment requests'
const requestKeyLife_ms = 30 * 86_400_000

/** Throws StartError when the stored key was encrypted with another one. */
export async function openRequestKey(db: Database, seal: Seal): Promise<RequestKeyHandlers> {
  const newKey = () => seal.encrypt(randomBytes(key_bytes), context)
  await insertRequestKey(db, newKey())
  await sealAgain(db, seal)
  return {
    handlers: {
      async GetRequestKey() {
        const { key, previous } = await read(db, seal)
        return { key, ...(previous ? { previousKey: previous } : {}) }
      },
    },
    async rotate() {
      await rotateRequestKey(db, newKey(), requestKeyLife_ms)
    },
  }
}

interface OpenedRequestKey {
  readonly stored: StoredRequestKey
  readonly key: Buffer
  readonly previous: Buffer | undefined
}

async function read(db: Database, seal: Seal): Promise<OpenedRequestKey> {
  const stored = await readRequestKey(db)
  const key = stored && seal.decrypt(stored.key, context)
  if (stored === undefined || key === undefined) {
    throw new StartError(
      'AUTH_SERVICE_SECRETS_KEY is not the key that encrypted the stored key for payment requests.',
    )
  }
  const { previous_key } = stored
  return {
    stored,
    key,
    previous: previous_key === null ? undefined : seal.decrypt(previous_key, context),
  }
}

/** After a change of AUTH_SERVICE_SECRETS_KEY. */
async function sealAgain(db: Database, seal: Seal): Promise<void> {
  const { stored, key, previous } = await read(db, seal)
  const all = [stored.key, ...(stored.previous_key === null ? [] : [stored.previous_key])]
  if (all.every((sealed) => seal.isCurrent(sealed, context))) return
  await saveRequestKey(db, stored.key, {
    key: seal.encrypt(key, context),
    previous_key: previous === undefined ? null : seal.encrypt(previous, context),
  })
}
