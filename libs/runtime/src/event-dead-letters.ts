/**
 * Serves the dead letters of the event bus to the administration API, in every process: a service alone
 * can read its own. Who may ask is decided there, and by the callers of the methods.
 */
import { isGroupOf, type EventBus } from '@causeway/bus'
import type { GrpcHost } from '@causeway/grpc'
import { eventDeadLettersService } from '@causeway/protos'

const letters_max = 1_000

export function serveEventDeadLetters(grpc: Pick<GrpcHost, 'serve'>, bus: EventBus): void {
  grpc.serve(eventDeadLettersService, {
    async ListEventDeadLetters({ service, limit }) {
      const all = await bus.deadLetters(letters_max)
      const own = all.filter(({ group }) => isGroupOf(service, group))
      const deadLetters = own.slice(0, Math.max(limit, 0))
      return {
        deadLetters: deadLetters.map(({ type, reason: error, ...letter }) => ({
          ...letter,
          error,
          ...(type === '' ? {} : { type }),
        })),
      }
    },
    async ReplayEventDeadLetter({ group, id }) {
      const isReplayed = await bus.replay(group, id)
      return { outcome: isReplayed ? ('REPLAYED' as const) : ('UNKNOWN' as const) }
    },
    async DiscardEventDeadLetter({ group, id }) {
      return { outcome: await bus.discard(group, id) }
    },
  })
}
