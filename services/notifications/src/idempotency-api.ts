/**
 * Serves what idempotency keys stand for, in the order of the question. A key is claimed before the first
 * notification with it is sent, so an FSP that has received one finds it here.
 */
import type { GrpcHost } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import { idempotencyKeysService } from '@causeway/protos'
import { readContents } from './store.ts'

const keys_max = 1_000

export function serveIdempotencyKeys(grpc: GrpcHost, db: Database): void {
  grpc.serve(idempotencyKeysService, {
    async GetIdempotencyContents({ keys }) {
      if (keys.length > keys_max) throw new Error(`at most ${keys_max} keys at once`)
      const contents = await readContents(db, keys)
      return { contents: keys.map((key) => contents.get(key) ?? '') }
    },
  })
}
