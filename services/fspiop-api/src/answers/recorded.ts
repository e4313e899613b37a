/**
 * Which FSPs a request is between whose id is used once only: the hub stores sender and receiver behind the
 * id for ever, as the key of its notification. So an answer days later is known, also after a restart.
 */
import type { GrpcHost } from '@causeway/grpc'
import { isOutage } from '@causeway/process'
import { idempotencyKeysService } from '@causeway/protos'

export interface RecordedRequests {
  /**
   * @param key resource and id, as `contentOf` is stored with them
   * @returns NONE: no request has the id
   */
  areBetween(key: string, fsps: readonly [string, string]): Promise<Recorded>
}

export type Recorded = 'YES' | 'OTHERS' | 'NONE' | 'UNAVAILABLE'

/** What is stored behind the id of a request. */
export function contentOf(from: string, to: string, payloadHash: string): string {
  return `${from} ${to} ${payloadHash}`
}

export function openRecordedRequests(grpc: GrpcHost): RecordedRequests {
  const { GetIdempotencyContents } = grpc.client(idempotencyKeysService, 'notifications')
  return {
    async areBetween(key, [one, other]) {
      try {
        const { contents } = await GetIdempotencyContents({ keys: [key] })
        const content = contents[0] ?? ''
        if (content === '') return 'NONE'
        const isBetween = [contentOf(one, other, ''), contentOf(other, one, '')].some((begin) =>
          content.startsWith(begin),
        )
        return isBetween ? 'YES' : 'OTHERS'
      } catch (error) {
        if (isOutage(error)) return 'UNAVAILABLE'
        throw error
      }
    },
  }
}
