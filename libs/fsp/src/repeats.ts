/**
 * What an FSP was asked and has answered, so that each request is decided once and a repeat gets the
 * same bytes. The oldest are forgotten first.
 */
import type { HubLink } from './hub/link.ts'
import type { Outgoing } from './message.ts'

export interface Asked {
  /** What the request says; a repeat says the same. */
  readonly terms: string
  /** The answer is of use until then (of Date.now). */
  readonly until_ms: number
  /** Undefined while it is being decided, and when nothing is to be said. */
  answer: Outgoing | undefined
}

export interface Repeats<Request extends Asked> {
  get(id: string): Request | undefined
  /** Remembers a request that came for the first time. */
  add(id: string, request: Request): void
  /** Answers it, and remembers the answer; resolves when the hub has it or it is of no use. */
  say(request: Request, answer: Outgoing): Promise<void>
  /** Says again what was said; nothing while it is being decided. */
  repeat(request: Request): void
  values(): Iterable<Request>
}

export function openRepeats<Request extends Asked>(
  link: HubLink,
  remembered_max: number,
  onForgotten: (request: Request) => void = () => undefined,
): Repeats<Request> {
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
    async say(request, answer) {
      request.answer = answer
      await link.sendUntil(answer, request.until_ms)
    },
    repeat({ answer, until_ms }) {
      if (answer !== undefined) void link.sendUntil(answer, until_ms)
    },
    values: () => all.values(),
  }
}
