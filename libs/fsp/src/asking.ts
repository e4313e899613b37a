/**
 * Questions whose answers come as callbacks: each is open before it is sent, for the callback may come
 * before the acknowledgement; after a silence it is asked again; and at its deadline it ends, answered
 * or not.
 */
import type { ErrorInformation } from '@causeway/fspiop'
import type { HubLink } from './hub/link.ts'
import type { Outgoing } from './message.ts'
import { errorIn } from './errors.ts'

export interface Question<Context> {
  /** What the callback is known by. */
  readonly key: string
  readonly request: Outgoing
  /** The request itself is tried until then (of Date.now). */
  readonly until_ms: number
  /** What is sent after each silence; most requests may simply be sent again. */
  readonly reminder: () => Outgoing
  readonly deadline_ms: number
  /** What the answer is held against. */
  readonly context: Context
}

/** How a question ends without an answer. */
export type Unanswered =
  | {
      /** The hub did not take the message. */
      readonly state: 'REFUSED'
      readonly status: number
      readonly error: ErrorInformation
    }
  | {
      /** Nothing that decides it came in time. */
      readonly state: 'UNRESOLVED'
      /** The last thing that was said about it. */
      readonly error: ErrorInformation | undefined
    }

/** `ms`: from the call to the end. */
export type Ended<Word> = { readonly ms: number } & (Word | Unanswered)

export interface Questions<Context, Word> {
  /** Rejects when a question is open under the key, and when too many are open. */
  ask(question: Question<Context>): Promise<Ended<Word>>
  /** The context of the question that is open under the key. */
  open(key: string): Context | undefined
  answer(key: string, word: Word): void
  /** Something was said that decides nothing. */
  note(key: string, error: ErrorInformation | undefined): void
  /** Everything that is open ends UNRESOLVED. */
  close(): void
}

interface Open<Context, Word> extends Question<Context> {
  readonly begun_ms: number
  readonly resolve: (ended: Ended<Word>) => void
  timer: NodeJS.Timeout | undefined
  lastError: ErrorInformation | undefined
}

/** More than a hub answers in time; whoever gets here asks faster than it is answered. */
const open_max = 100_000

export function openQuestions<Context, Word>(
  link: HubLink,
  silence_ms: number,
): Questions<Context, Word> {
  const all = new Map<string, Open<Context, Word>>()

  function end(question: Open<Context, Word>, word: Word | Unanswered): void {
    if (all.get(question.key) !== question) return
    all.delete(question.key)
    clearTimeout(question.timer)
    const ms = tenths(performance.now() - question.begun_ms)
    question.resolve({ ms, ...word })
  }

  function giveUp(question: Open<Context, Word>): void {
    end(question, { state: 'UNRESOLVED', error: question.lastError })
  }

  async function post(question: Open<Context, Word>): Promise<void> {
    const answer = await link.sendUntil(question.request, question.until_ms)
    if (answer !== undefined && isRefusal(answer.status)) {
      end(question, { state: 'REFUSED', status: answer.status, error: errorIn(answer) })
    } else {
      listen(question)
    }
  }

  /** Waits for the next silence to end, or for the deadline if that comes first. */
  function listen(question: Open<Context, Word>): void {
    if (all.get(question.key) !== question) return
    const left_ms = question.deadline_ms - Date.now()
    if (left_ms <= 0) {
      giveUp(question)
      return
    }
    question.timer = setTimeout(() => void remind(question), Math.min(silence_ms, left_ms))
  }

  async function remind(question: Open<Context, Word>): Promise<void> {
    if (Date.now() < question.deadline_ms) await link.send(question.reminder())
    listen(question)
  }

  return {
    ask: (asked) =>
      new Promise((resolve) => {
        if (all.has(asked.key)) throw new Error(`${asked.key} is under way already`)
        if (all.size >= open_max) throw new Error(`${open_max} questions are open already`)
        const begun_ms = performance.now()
        const question = { ...asked, begun_ms, resolve, timer: undefined, lastError: undefined }
        all.set(asked.key, question)
        void post(question)
      }),
    open: (key) => all.get(key)?.context,
    answer(key, word) {
      const question = all.get(key)
      if (question !== undefined) end(question, word)
    },
    note(key, error) {
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

/** Milliseconds to a tenth. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10
}
