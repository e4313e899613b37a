/** What transfers says over gRPC: states, for the comparison with the ledger. */
import type { transfersService, TransferState } from '@causeway/protos'
import type { Handlers } from '@causeway/runtime'
import type { StateRow, TransferStore } from './store.ts'

const page_max = 1_000

export function stateHandlers(store: TransferStore): Handlers<typeof transfersService> {
  return {
    GetTransferStates: async ({ ids }) => ({
      transfers: (await store.states(ids)).map(transferState),
    }),
    ListTransferStates: async ({ afterId, limit }) => {
      const rows = await store.page(afterId, limit < 1 ? page_max : Math.min(limit, page_max))
      return { transfers: rows.map(transferState) }
    },
  }
}

function transferState({ id, state, reason, expires_at }: StateRow): TransferState {
  return { id, state, reason: reason ?? '', expiresAt: expires_at.toISOString() }
}
