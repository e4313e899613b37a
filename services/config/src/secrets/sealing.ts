/**
 * How values are encrypted: each is bound to its row, so that write access to the tables is not enough to
 * give a component the secret of another one.
 */
import type { Seal } from '@causeway/keys/provider'
import type { Database } from '@causeway/postgres'
import { StartError } from '@causeway/process'
import type { NewSecret } from './domain/secrets.ts'
import { lockSealed, saveResealedRequest, saveResealedValue, type StoredSecret } from './store.ts'

const wrongKey = 'CONFIG_SECRETS_KEY is not the key that encrypted the stored secrets'

export interface Sealing {
  sealValue(contextId: string, name: string, value: string): Buffer
  openValue(stored: Pick<StoredSecret, 'contextId' | 'name' | 'sealed'>): string
  sealRequest(id: string, newValues: readonly NewSecret[]): Buffer
  openRequest(id: string, sealed: Buffer): readonly NewSecret[]
  /** Encrypts with the first key what another one has encrypted; StartError if none of them has. */
  reseal(db: Database): Promise<void>
}

export function openSealing(seal: Seal): Sealing {
  const ofValue = (contextId: string, name: string) => `secrets/${contextId}/${name}`
  const ofRequest = (id: string) => `secret-requests/${id}`

  function decrypted(sealed: Buffer, context: string): Buffer {
    const plain = seal.decrypt(sealed, context)
    if (plain === undefined) throw new Error(wrongKey)
    return plain
  }

  function resealed(sealed: Buffer, context: string): Buffer | undefined {
    if (seal.isCurrent(sealed, context)) return undefined
    const plain = seal.decrypt(sealed, context)
    if (plain === undefined) throw new StartError(`${wrongKey}.`)
    return seal.encrypt(plain, context)
  }

  return {
    sealValue: (contextId, name, value) =>
      seal.encrypt(Buffer.from(value), ofValue(contextId, name)),
    openValue: ({ contextId, name, sealed }) =>
      decrypted(sealed, ofValue(contextId, name)).toString(),
    sealRequest: (id, newValues) =>
      seal.encrypt(Buffer.from(JSON.stringify(newValues)), ofRequest(id)),
    openRequest: (id, sealed) =>
      JSON.parse(decrypted(sealed, ofRequest(id)).toString()) as readonly NewSecret[],
    reseal: (db) =>
      db.transaction(async (tx) => {
        const { values, requests } = await lockSealed(tx)
        for (const stored of values) {
          const again = resealed(stored.sealed, ofValue(stored.contextId, stored.name))
          if (again !== undefined) await saveResealedValue(tx, stored, again)
        }
        for (const { id, sealed } of requests) {
          const again = resealed(sealed, ofRequest(id))
          if (again !== undefined) await saveResealedRequest(tx, id, again)
        }
      }),
  }
}
