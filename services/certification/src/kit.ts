/**
 * What a case works with: messages to the FSP under test, its messages, and the trigger. Whatever the
 * FSP must do has a time limit; what it must not do is watched for a while.
 */
import { NotRun, type Role, Unmet } from './case.ts'
import { type Inbox, type Matches, openInbox } from './inbox.ts'
import { type Draft, write } from './message.ts'
import type { FspResponse, Exchanged, Peer, Reply, ReceivedRequest } from './peer.ts'
import type { CertificationSettings } from './settings.ts'
import { type Action, NotTriggered, type ActionOutcome } from './trigger.ts'

export type { Matches } from './inbox.ts'

export interface Kit {
  readonly settings: CertificationSettings
  /** Of the case, in their order; those of cases that run at the same time included. */
  readonly taken: readonly ReceivedRequest[]
  /** Answers messages of the FSP that match from now on. */
  reply(matches: Matches, reply: (message: ReceivedRequest) => Reply | undefined): void
  /** Calls back for each message of the FSP that matches from now on, after it was accepted. */
  on(matches: Matches, react: (message: ReceivedRequest) => void): void
  /** Undefined: the FSP gave no answer. */
  send(draft: Draft): Promise<FspResponse | undefined>
  /** Sends and expects this status. */
  sendExpecting(status: number, draft: Draft): Promise<FspResponse>
  /** Sends, and does not judge the answer. */
  post(draft: Draft): void
  /** The first message that matches, also one that was taken before. */
  next(matches: Matches, within_ms: number): Promise<ReceivedRequest | undefined>
  /** The message, or the case fails. */
  expect(what: string, matches: Matches, within_ms?: number): Promise<ReceivedRequest>
  /** The case fails if such a message arrives, or has arrived. */
  expectNone(what: string, matches: Matches): Promise<void>
  /** The same until a time (of Date.now). */
  expectNoneUntil(what: string, matches: Matches, until_ms: number): Promise<void>
  /** Asks the FSP to act. Throws NotRun where there is no trigger. */
  trigger(action: Action): Triggered
}

export interface Triggered {
  /** Undefined: not reported within the time. */
  outcome(within_ms: number): Promise<ActionOutcome | undefined>
  /** The first message of the action: the case is not run when the FSP cannot be triggered. */
  begun(what: string, matches: Matches): Promise<ReceivedRequest>
}

export interface OpenKit extends Kit {
  /** Without messages of the FSP that belong to a case that runs at the same time. */
  exchanged(): readonly Exchanged[]
  close(): void
}

/** A report shows this much of a body. */
const shown_max = 2_000
const exchanged_max = 1_000

interface About {
  readonly id: string
  readonly role: Role
}

interface Recorded {
  readonly entry: Exchanged
  /** Undefined: the kit sent it. */
  readonly message: ReceivedRequest | undefined
}

interface Rule<Reaction> {
  readonly matches: Matches
  readonly act: (message: ReceivedRequest) => Reaction
}

export function openKit(settings: CertificationSettings, peer: Peer, about: About): OpenKit {
  const inbox = openInbox()
  const exchanged: Recorded[] = []
  const own = new Set<ReceivedRequest>()
  const replies: Rule<Reply | undefined>[] = []
  const reactions: Rule<void>[] = []
  const record = (entry: Exchanged, message?: ReceivedRequest) => {
    if (exchanged.length < exchanged_max) exchanged.push({ entry, message })
  }
  const unsubscribe = peer.subscribe({
    reply(message) {
      for (const { matches, act } of replies) {
        const defined = matches(message) ? act(message) : undefined
        if (defined !== undefined) return defined
      }
      return undefined
    },
    take(message, status) {
      record({ sender: 'FSP', ...shown(message, message.query), status }, message)
      if (settings.parallel === 1 || replies.some(({ matches }) => matches(message))) {
        own.add(message)
      }
      for (const { matches, act } of status !== undefined && status < 300 ? reactions : []) {
        if (!matches(message)) continue
        own.add(message)
        act(message)
      }
      inbox.add(message)
    },
  })

  async function send(draft: Draft): Promise<FspResponse | undefined> {
    const message = await write(draft, settings.signing)
    const answer = await peer.send(message)
    record({ sender: 'KIT', ...shown(message), status: answer?.status })
    return answer
  }

  const next: Inbox['next'] = async (matches, within_ms) => {
    const found = await inbox.next(matches, within_ms)
    if (found !== undefined) own.add(found)
    return found
  }
  const expectations = expectationsOn(next, settings)
  return {
    settings,
    taken: inbox.taken,
    exchanged: () =>
      exchanged.flatMap(({ entry, message }) =>
        message === undefined || own.has(message) ? [entry] : [],
      ),
    reply: (matches, act) => void replies.push({ matches, act }),
    on: (matches, act) => void reactions.push({ matches, act }),
    send,
    async sendExpecting(status, draft) {
      const answer = await send(draft)
      if (answer?.status === status) return answer
      throw new Unmet(`${status} to ${draft.method} ${draft.path}`, describeAnswer(answer))
    },
    post: (draft) => void send(draft),
    next,
    ...expectations,
    trigger: (action) => triggered(settings, about, action, expectations.expect),
    close() {
      unsubscribe()
      inbox.close()
    },
  }
}

type Expectations = Pick<Kit, 'expect' | 'expectNone' | 'expectNoneUntil'>

function expectationsOn(
  next: Inbox['next'],
  { answer_ms, watch_ms }: CertificationSettings,
): Expectations {
  async function none(what: string, matches: Matches, within_ms: number) {
    const found = await next(matches, within_ms)
    if (found !== undefined) throw new Unmet(`no ${what}`, describe(found))
  }
  return {
    async expect(what, matches, within_ms = answer_ms) {
      const found = await next(matches, within_ms)
      if (found === undefined) throw new Unmet(what, `nothing of the kind within ${within_ms} ms`)
      return found
    },
    expectNone: (what, matches) => none(what, matches, watch_ms),
    expectNoneUntil: (what, matches, until_ms) => none(what, matches, until_ms - Date.now()),
  }
}

function triggered(
  { trigger }: CertificationSettings,
  { id, role }: About,
  action: Action,
  expect: Kit['expect'],
): Triggered {
  if (trigger === undefined) throw new NotRun('there is no trigger: the FSP has to act first')
  const ended = trigger({ ...action, case: id, role })
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

/** Undefined: later, or rejected. */
async function withinTime<Value>(
  promise: Promise<Value>,
  within_ms: number,
): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), within_ms)
    timer.unref()
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

export function describe({ method, path, query, body }: ReceivedRequest): string {
  const { path: target, body: text } = shown({ method, path, body }, query)
  return `${method} ${target} ${text}`.trim()
}

export function describeAnswer(answer: FspResponse | undefined): string {
  if (answer === undefined) return 'no answer'
  return `${answer.status} ${answer.body.toString().slice(0, shown_max)}`.trim()
}
