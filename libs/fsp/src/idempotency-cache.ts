/**
 * The requests that an FSP has received and its answers: each request is decided once, and a repeat
 * gets the same bytes. The oldest are dropped first.
 */
import type { HubLink } from './hub/link.ts'
import type { Outgoing } from './message.ts'

export interface CachedRequest {
  /** The content of the request; a repeat has the same. */
  readonly terms: string
  /** The answer is useful until then (of Date.now). */
  readonly until_ms: number
  /** Undefined while the request is being decided, and when it gets no answer. */
  answer: Outgoing | undefined
}

export interface IdempotencyCache<Request extends CachedRequest> {
  get(id: string): Request | undefined
  /** Stores a request that arrives for the first time. */
  add(id: string, request: Request): void
  /** Sends and stores the answer; resolves when the hub has it or it has expired. */
  answer(request: Request, answer: Outgoing): Promise<void>
  /** Sends the stored answer again; does nothing while the request is being decided. */
  resend(request: Request): void
  values(): Iterable<Request>
}

export function openIdempotencyCache<Request extends CachedRequest>(
  link: HubLink,
  remembered_max: number,
  onForgotten: (request: Request) => void = () => undefined,
): IdempotencyCache<Request> {
  const all = new Map<string, Request>()
  return {
    get: (id) => all.get(id),
    add(id, request) {
      all.set(id, request)
      if (all.size <= remembered_max) return
      for (const [oldest, forgotten] of all) {
        all.delete(oldest)
        onForgotten(forgotten)
        return
      }
    },
    async answer(request, answer) {
      request.answer = answer
      await link.sendUntil(answer, request.until_ms)
    },
    resend({ answer, until_ms }) {
      if (answer !== undefined) void link.sendUntil(answer, until_ms)
    },
    values: () => all.values(),
  }
}
