/** The gRPC reads of states, for the comparison with the ledger, and of packets. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import { present, type transfersService, type TransferState } from '@causeway/protos'
import { itemIn } from './bulks/item-body.ts'
import type { StateRow, TransferStore } from './store.ts'

type StateHandlers = Pick<
  Handlers<typeof transfersService>,
  'GetTransferStates' | 'ListTransferStates' | 'GetTransferPacket'
>

const page_max = 1_000

export function stateHandlers(store: TransferStore): StateHandlers {
  return {
    GetTransferStates: async ({ ids }) => ({
      transfers: (await store.states(ids)).map(transferState),
    }),
    ListTransferStates: async ({ afterId, limit }) => {
      const rows = await store.page(afterId, limit < 1 ? page_max : Math.min(limit, page_max))
      return { transfers: rows.map(transferState) }
    },
    GetTransferPacket: async ({ id }) => {
      const request = (await store.requests([id])).get(id)
      return { ilpPacket: request === undefined ? '' : packetOf(request.body, id) }
    },
  }
}

/** The edge has read the request before it was stored. */
function packetOf(request: Buffer, id: string): string {
  const { ilpPacket } = JSON.parse(itemIn(request, id).toString('utf8')) as {
    readonly ilpPacket?: string
  }
  return ilpPacket ?? ''
}

function transferState(row: StateRow): TransferState {
  return {
    id: row.id,
    state: row.state,
    reason: row.reason ?? '',
    expiresAt: row.expires_at.toISOString(),
    payerFsp: row.payer_fsp,
    payeeFsp: row.payee_fsp,
    amount: formatAmount(BigInt(row.amount)),
    currency: row.currency,
    condition: row.condition,
    ...present({
      fulfilment: row.fulfilment,
      windowId: row.window_id,
      completedAt: row.completed_at?.toISOString(),
    }),
  }
}
