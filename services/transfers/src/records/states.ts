/** The gRPC reads of states, for the comparison with the ledger, and of packets. */
import type { Handlers } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import type { KnownTransfer, transfersService } from '@causeway/protos'
import { itemIn } from '../item-body.ts'
import type { StateRow, TransferStore } from '../store.ts'

type StateHandlers = Pick<
  Handlers<typeof transfersService>,
  'GetTransferStates' | 'ListTransferStates' | 'GetTransferPacket'
>

const page_max = 1_000

export function stateHandlers(store: TransferStore): StateHandlers {
  return {
    GetTransferStates: async ({ ids }) => ({
      transfers: (await store.states(ids)).map(knownTransfer),
    }),
    ListTransferStates: async ({ afterId, limit }) => {
      const rows = await store.page(afterId, limit < 1 ? page_max : Math.min(limit, page_max))
      return { transfers: rows.map(knownTransfer) }
    },
    GetTransferPacket: async ({ id }) => {
      const request = (await store.requests([id])).get(id)
      return { ilpPacket: request && packetOf(request.body, id) }
    },
  }
}

/** The edge has read the request before it was stored. */
function packetOf(request: Buffer, id: string): string | undefined {
  const { ilpPacket } = JSON.parse(itemIn(request, id).toString('utf8')) as {
    readonly ilpPacket?: string
  }
  return ilpPacket
}

function knownTransfer(row: StateRow): KnownTransfer {
  return {
    id: row.id,
    state: row.state,
    reason: row.reason ?? undefined,
    expiresAt: row.expires_at.toISOString(),
    payerFsp: row.payer_fsp,
    payeeFsp: row.payee_fsp,
    amount: formatAmount(BigInt(row.amount)),
    currency: row.currency,
    condition: row.condition,
    fulfilment: row.fulfilment ?? undefined,
    windowId: row.window_id ?? undefined,
    completedAt: row.completed_at?.toISOString(),
  }
}
