/** The settlement windows over gRPC. */
import type { Handlers } from '@causeway/grpc'
import type { settlementWindowsService } from '@causeway/protos'
import { timeIn } from '../proto-values.ts'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { closeWindow, type ClosingParts } from './close.ts'
import { anyWindow, readWindows } from './read-store.ts'

export interface WindowServiceParts extends ClosingParts {
  /** Called after a window was closed: all its lines may have arrived already. */
  readonly onClosed: () => Promise<void>
}

export function windowHandlers(
  parts: WindowServiceParts,
): Handlers<typeof settlementWindowsService> {
  const { db } = parts
  return {
    ListSettlementWindows: async ({ participantId, state, from, to, currency, ...page }) => {
      const limit = Math.min(page.limit ?? anyWindow.limit, anyWindow.limit)
      const filter = {
        ids: null,
        participantId: participantId ?? null,
        state: state ?? null,
        from: timeIn(from),
        to: timeIn(to),
        currency: currency ?? null,
        beforeId: page.beforeId ?? null,
        limit,
      }
      const windows = await readWindows(db, filter, 'SUMS')
      const last = windows.length < limit ? undefined : windows.at(-1)
      return { windows: [...windows], nextBeforeId: last?.id }
    },
    GetSettlementWindow: ({ id }) => windowAnswer(parts, id),
    CloseSettlementWindow: async ({ requestId, windowId, explanation: reason, actor }) => {
      const closed = await closeWindow(parts, { requestId, windowId, reason, actor })
      if (closed.type === 'REFUSE') return refusedWith(closed)
      await parts.onClosed()
      return windowAnswer(parts, closed.nextWindowId)
    },
  }
}

async function windowAnswer({ db }: WindowServiceParts, id: number) {
  const [window] = await readWindows(db, { ...anyWindow, ids: [id] }, 'NETS')
  return window === undefined
    ? refusedWith(refuse('WINDOW_UNKNOWN', `there is no window ${id}`))
    : { window }
}

function refusedWith({ reason, detail }: RefusedCommand) {
  return { refusal: { reason, detail } }
}
