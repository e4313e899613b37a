/**
 * Requests whose answers arrive as callbacks. Each is registered before it is sent, since the
 * callback may overtake the acknowledgement. It is sent again while no answer arrives, and ends at
 * its deadline, answered or not.
 */
import type { ErrorInformation } from '@causeway/fspiop'
import type { HubLink } from './hub/link.ts'
import type { Outgoing } from './message.ts'
import { errorIn } from './errors.ts'

export interface PendingRequest<Context> {
  /** Identifies the callback. */
  readonly key: string
  readonly request: Outgoing
  /** The first send is tried until then (of Date.now). */
  readonly until_ms: number
  /** The message to send when no answer arrives; most requests may be sent again unchanged. */
  readonly reminder: () => Outgoing
  readonly deadline_ms: number
  /** What the answer is checked against. */
  readonly context: Context
}

/** How a request ends without an answer. */
export type Unanswered =
  | {
      /** The hub did not accept the message. */
      readonly state: 'REFUSED'
      readonly status: number
      readonly error: ErrorInformation
    }
  | {
      /** No final answer arrived in time. */
      readonly state: 'UNRESOLVED'
      /** The last error that was received for it. */
      readonly error: ErrorInformation | undefined
    }

/** `ms`: from the call to the end. */
export type TimedResult<Word> = { readonly ms: number } & (Word | Unanswered)

export interface PendingRequests<Context, Word> {
  /** Rejects when a request is pending under the key, and when too many are pending. */
  send(question: PendingRequest<Context>): Promise<TimedResult<Word>>
  /** The context of the request that is pending under the key. */
  contextOf(key: string): Context | undefined
  answer(key: string, word: Word): void
  /** Records an error that does not end the request. */
  noteError(key: string, error: ErrorInformation | undefined): void
  /** Every pending request ends UNRESOLVED. */
  close(): void
}

interface OpenRequest<Context, Word> extends PendingRequest<Context> {
  readonly begun_ms: number
  readonly resolve: (ended: TimedResult<Word>) => void
  timer: NodeJS.Timeout | undefined
  lastError: ErrorInformation | undefined
}

/** More than a hub answers in time: a caller that reaches this sends faster than it is answered. */
const pending_max = 100_000

export function openPendingRequests<Context, Word>(
  link: HubLink,
  resendAfter_ms: number,
): PendingRequests<Context, Word> {
  const all = new Map<string, OpenRequest<Context, Word>>()

  function end(question: OpenRequest<Context, Word>, word: Word | Unanswered): void {
    if (all.get(question.key) !== question) return
    all.delete(question.key)
    clearTimeout(question.timer)
    const ms = tenths(performance.now() - question.begun_ms)
    question.resolve({ ms, ...word })
  }

  function giveUp(question: OpenRequest<Context, Word>): void {
    end(question, { state: 'UNRESOLVED', error: question.lastError })
  }

  async function post(question: OpenRequest<Context, Word>): Promise<void> {
    const answer = await link.sendUntil(question.request, question.until_ms)
    if (answer !== undefined && isRefusal(answer.status)) {
      end(question, { state: 'REFUSED', status: answer.status, error: errorIn(answer) })
    } else {
      listen(question)
    }
  }

  /** Waits until the request is due again, or until the deadline if that is earlier. */
  function listen(question: OpenRequest<Context, Word>): void {
    if (all.get(question.key) !== question) return
    const left_ms = question.deadline_ms - Date.now()
    if (left_ms <= 0) {
      giveUp(question)
      return
    }
    question.timer = setTimeout(() => void remind(question), Math.min(resendAfter_ms, left_ms))
  }

  async function remind(question: OpenRequest<Context, Word>): Promise<void> {
    if (Date.now() < question.deadline_ms) await link.send(question.reminder())
    listen(question)
  }

  return {
    send: (asked) =>
      new Promise((resolve) => {
        if (all.has(asked.key)) throw new Error(`${asked.key} is pending already`)
        if (all.size >= pending_max) throw new Error(`${pending_max} requests are pending already`)
        const begun_ms = performance.now()
        const question = { ...asked, begun_ms, resolve, timer: undefined, lastError: undefined }
        all.set(asked.key, question)
        void post(question)
      }),
    contextOf: (key) => all.get(key)?.context,
    answer(key, word) {
      const question = all.get(key)
      if (question !== undefined) end(question, word)
    },
    noteError(key, error) {
      const question = all.get(key)
      if (question !== undefined) question.lastError = error ?? question.lastError
    },
    close() {
      for (const question of all.values()) giveUp(question)
    },
  }
}

function isRefusal(status: number): boolean {
  return (status >= 400 && status < 500) || status === 501
}

/** Rounds milliseconds to a tenth. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10
}
