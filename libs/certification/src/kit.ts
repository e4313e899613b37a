/**
 * What a case has in hand: messages to the FSP under test, its messages, and the trigger. Whatever the
 * FSP must do has a time limit; what it must not do is watched for a while.
 */
import { NotRun, type Role, Unmet } from './case.ts'
import { type Draft, write } from './message.ts'
import type { Answer, Exchanged, Peer, Reply, Taken } from './peer.ts'
import type { Settings } from './settings.ts'
import { type Action, NotTriggered, type Outcome } from './trigger.ts'

export type Matches = (message: Taken) => boolean

export interface Kit {
  readonly settings: Settings
  /** Of the case, in their order; those of cases that run at the same time included. */
  readonly taken: readonly Taken[]
  /** Answers messages of the FSP that match from now on. */
  reply(matches: Matches, reply: (message: Taken) => Reply | undefined): void
  /** Calls back for each message of the FSP that matches from now on, after it was accepted. */
  on(matches: Matches, react: (message: Taken) => void): void
  /** Undefined: the FSP gave no answer. */
  send(draft: Draft): Promise<Answer | undefined>
  /** Sends and expects this status. */
  sendExpecting(status: number, draft: Draft): Promise<Answer>
  /** Sends, and does not judge the answer. */
  post(draft: Draft): void
  /** The first message that matches, also one that was taken before. */
  next(matches: Matches, within_ms: number): Promise<Taken | undefined>
  /** The message, or the case fails. */
  expect(what: string, matches: Matches, within_ms?: number): Promise<Taken>
  /** The case fails if such a message arrives, or has arrived. */
  expectNone(what: string, matches: Matches): Promise<void>
  /** The same until a time (of Date.now). */
  expectNoneUntil(what: string, matches: Matches, until_ms: number): Promise<void>
  /** Asks the FSP to act. Throws NotRun where there is no trigger. */
  trigger(action: Action): Triggered
}

export interface Triggered {
  /** Undefined: not reported within the time. */
  outcome(within_ms: number): Promise<Outcome | undefined>
  /** The first message of the action: the case is not run when the FSP cannot be triggered. */
  begun(what: string, matches: Matches): Promise<Taken>
}

export interface OpenKit extends Kit {
  readonly exchanged: readonly Exchanged[]
  close(): void
}

/** A report shows this much of a body. */
const shown_max = 2_000
const exchanged_max = 200

export function openKit(
  settings: Settings,
  peer: Peer,
  about: { readonly id: string; readonly role: Role },
): OpenKit {
  const taken: Taken[] = []
  const exchanged: Exchanged[] = []
  const rules: { matches: Matches; reply: (message: Taken) => Reply | undefined }[] = []
  const listeners: { matches: Matches; react: (message: Taken) => void }[] = []
  const waiting = new Set<() => void>()

  const record = (entry: Exchanged) => {
    if (exchanged.length < exchanged_max) exchanged.push(entry)
  }
  const close = peer.subscribe({
    reply(message) {
      for (const { matches, reply } of rules) {
        const defined = matches(message) ? reply(message) : undefined
        if (defined !== undefined) return defined
      }
      return undefined
    },
    take(message, status) {
      taken.push(message)
      record({ sender: 'FSP', ...shown(message, message.query), status })
      for (const { matches, react } of status < 300 ? listeners : []) {
        if (matches(message)) react(message)
      }
      for (const look of waiting) look()
    },
  })

  async function send(draft: Draft): Promise<Answer | undefined> {
    const message = await write(draft, settings.signing)
    const answer = await peer.send(message)
    record({ sender: 'KIT', ...shown(message), status: answer?.status })
    return answer
  }

  const next = (matches: Matches, within_ms: number) =>
    new Promise<Taken | undefined>((resolve) => {
      const end = (found: Taken | undefined) => {
        clearTimeout(timer)
        waiting.delete(look)
        resolve(found)
      }
      const look = () => {
        const found = taken.find(matches)
        if (found !== undefined) end(found)
      }
      const timer = setTimeout(() => end(undefined), within_ms)
      waiting.add(look)
      look()
    })

  async function expect(what: string, matches: Matches, within_ms = settings.answer_ms) {
    const found = await next(matches, within_ms)
    if (found === undefined) throw new Unmet(what, `nothing of the kind within ${within_ms} ms`)
    return found
  }

  async function none(what: string, matches: Matches, within_ms: number) {
    const found = await next(matches, within_ms)
    if (found !== undefined) throw new Unmet(`no ${what}`, describe(found))
  }

  return {
    settings,
    taken,
    exchanged,
    reply: (matches, reply) => void rules.push({ matches, reply }),
    on: (matches, react) => void listeners.push({ matches, react }),
    send,
    async sendExpecting(status, draft) {
      const answer = await send(draft)
      if (answer?.status === status) return answer
      throw new Unmet(`${status} to ${draft.method} ${draft.path}`, describeAnswer(answer))
    },
    post: (draft) => void send(draft),
    next,
    expect,
    expectNone: (what, matches) => none(what, matches, settings.watch_ms),
    expectNoneUntil: (what, matches, until_ms) => none(what, matches, until_ms - Date.now()),
    trigger: (action) => triggered(action),
    close,
  }

  function triggered(action: Action): Triggered {
    const { trigger } = settings
    if (trigger === undefined) throw new NotRun('there is no trigger: the FSP has to act first')
    const ended = trigger({ ...action, case: about.id, role: about.role })
    const fault = ended.then(
      () => new Promise<never>(() => undefined),
      (error: unknown) => {
        const why = error instanceof Error ? error.message : String(error)
        throw new NotRun(
          error instanceof NotTriggered ? why : `the trigger failed at ${action.action}: ${why}`,
        )
      },
    )
    fault.catch(() => undefined)
    return {
      begun: (what, matches) => Promise.race([expect(what, matches), fault]),
      outcome: (within_ms) => withinTime(ended, within_ms),
    }
  }
}

/** Undefined: later, or rejected. */
async function withinTime<Value>(
  promise: Promise<Value>,
  within_ms: number,
): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), within_ms)
  })
  try {
    return await Promise.race([promise.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}

function shown(
  { method, path, body }: { method: string; path: string; body: Buffer | undefined },
  query = '',
) {
  const text = (body ?? Buffer.alloc(0)).toString()
  return {
    method,
    path: query === '' ? path : `${path}?${query}`,
    body: text.length > shown_max ? `${text.slice(0, shown_max)} …` : text,
  }
}

export function describe({ method, path, query, body }: Taken): string {
  const { path: target, body: text } = shown({ method, path, body }, query)
  return `${method} ${target} ${text}`.trim()
}

export function describeAnswer(answer: Answer | undefined): string {
  if (answer === undefined) return 'no answer'
  return `${answer.status} ${answer.body.toString().slice(0, shown_max)}`.trim()
}
