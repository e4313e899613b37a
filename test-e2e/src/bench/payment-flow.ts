/**
 * The sequence of payments at their two FSPs: each message is sent as soon as the one before it has
 * arrived, and each received message is compared with the one that was sent. A payment ends once:
 * its payer FSP has the fulfilment of its condition, the hub was too busy for one of its requests,
 * or it has failed and is counted with its reason.
 */
import { fulfils } from '@causeway/fspiop'
import type { LegTotals, Totals } from './messages.ts'
import type { LegName } from './options.ts'
import { numberOf, resources, type Message, type Payment } from './payments.ts'
import type { Timeline } from './timeline.ts'

/** A message as an FSP received it. */
export interface Arrival {
  readonly method: string
  readonly resource: string
  /** From the path; '' for a POST, which has it in the body. */
  readonly id: string
  readonly isError: boolean
  readonly body: Buffer
  readonly at_ms: number
}

export interface PaymentFlow {
  begin(n: number, scheduled_ms: number): void
  /**
   * Ends these payments at their current step, and from now on as soon as the hub has accepted
   * their first message.
   */
  expectNoAnswer(to: (n: number) => boolean): void
  /** False when the message belongs to no payment. */
  take(arrival: Arrival): boolean
  /** Only the first end of a payment counts. */
  fail(n: number, reason: string): void
  hasEnded(n: number): boolean
  hasCommitted(n: number): boolean
  /** The hub was too busy for it. */
  wasRefused(n: number): boolean
  /** Messages that the hub has not answered yet. */
  readonly underWay: number
  /** Payments that have ended. */
  readonly ended: number
  readonly committed: number
  totals(): Totals
}

export interface FlowParts {
  readonly payments: readonly Payment[]
  readonly legs: readonly LegName[]
  readonly timeline: Timeline
  /** Resolves with whether the hub has accepted the message; rejects when it refused it. */
  readonly send: (message: Message) => Promise<'TAKEN' | 'BUSY'>
  readonly now_ms: () => number
}

const underWayState = 1
const committedState = 2
const failedState = 3
const refusedState = 4
const unansweredState = 5

const nothing: LegTotals = { commands: 0, refused: 0, requests: 0, callbacks: 0 }

export function openPaymentFlow(parts: FlowParts): PaymentFlow {
  const { payments, legs, timeline } = parts
  const ends = openEnds(payments.length)
  const steps = openSteps(parts, ends)
  /** A bit for each message that has arrived: requests, then answers. */
  const seen = new Uint8Array(payments.length)
  const legOf = new Map<string, number>(legs.map((name, leg) => [resources[name], leg]))
  let begun = 0
  let repeated = 0

  return {
    begin(n, scheduled_ms) {
      ends.begin(n)
      begun += 1
      timeline.scheduled(n, scheduled_ms)
      steps.ask(n, 0)
    },
    take(arrival) {
      const { method, resource, isError, body } = arrival
      const leg = legOf.get(resource)
      const n = numberOf(method === 'POST' ? idIn(body) : arrival.id)
      if (leg === undefined || payments[n] === undefined) return false
      if (isError) {
        ends.fail(n, `PUT /${resource}/{ID}/error: ${body.toString()}`)
        return true
      }
      const bit = 1 << (method === 'PUT' ? legs.length + leg : leg)
      const before = seen[n] ?? 0
      seen[n] = before | bit
      if ((before & bit) !== 0) repeated += 1
      else if (method === 'PUT') steps.takeAnswer(n, leg, arrival)
      else steps.takeRequest(n, leg, arrival)
      return true
    },
    expectNoAnswer: (to) => ends.expectNoAnswer(to),
    fail: (n, reason) => ends.fail(n, reason),
    hasEnded: (n) => ends.stateOf(n) > underWayState,
    hasCommitted: (n) => ends.stateOf(n) === committedState,
    wasRefused: (n) => ends.stateOf(n) === refusedState,
    get underWay() {
      return steps.post.underWay
    },
    get ended() {
      const { committed, failed, refused, unanswered } = ends.counted
      return committed + failed + refused + unanswered
    },
    get committed() {
      return ends.counted.committed
    },
    totals() {
      const { committed, refused, unanswered } = ends.counted
      return {
        begun,
        committed,
        refused,
        refusedByPayer: fspsOf(ends.refusedByPayer),
        unanswered,
        failures: { ...ends.failures },
        repeated,
        legs: Object.fromEntries(
          legs.map((name, leg): [LegName, LegTotals] => [
            name,
            { ...nothing, ...steps.counts[leg] },
          ]),
        ),
      }
    },
  }
}

/** How the FSPs handle each message, and what they count for each leg. */
function openSteps({ payments, legs, timeline, send, now_ms }: FlowParts, ends: Ends) {
  const counts = legs.map(() => ({ ...nothing }))
  const post = openPost(send, ends)

  function ask(n: number, leg: number): void {
    const message = payments[n]?.legs[leg]?.request
    const count = counts[leg]
    if (message === undefined || count === undefined) return
    timeline.mark(n, leg, 'ASKED', now_ms())
    post.dispatch(n, message, (result) => {
      if (result === 'TAKEN') {
        count.commands += 1
        ends.taken(n)
      } else if (ends.refuse(n, message.from)) count.refused += 1
    })
  }

  /** The request of a leg arrives at the payee FSP. */
  function takeRequest(n: number, leg: number, { body, at_ms }: Arrival): void {
    const { request, answer } = payments[n]?.legs[leg] ?? {}
    const count = counts[leg]
    if (request === undefined || answer === undefined || count === undefined) return
    count.requests += 1
    timeline.mark(n, leg, 'REACHED', at_ms)
    const { method, resource } = request
    if (!isSame(body, request.body)) ends.fail(n, `${method} /${resource} was changed`)
    timeline.mark(n, leg, 'ANSWERED', now_ms())
    post.dispatch(n, answer, (result) => {
      if (result === 'BUSY') ends.fail(n, `${answer.method} /${answer.resource}: too busy`)
    })
  }

  /** The answer of a leg arrives at the payer FSP. */
  function takeAnswer(n: number, leg: number, { body, at_ms }: Arrival): void {
    const { condition, legs: messages } = payments[n] ?? {}
    const answer = messages?.[leg]?.answer
    const count = counts[leg]
    if (condition === undefined || answer === undefined || count === undefined) return
    if (!isSame(body, answer.body)) {
      ends.fail(n, `PUT /${answer.resource} was changed`)
      return
    }
    count.callbacks += 1
    timeline.mark(n, leg, 'DONE', at_ms)
    if (ends.stateOf(n) !== underWayState) return
    if (leg + 1 < legs.length) ask(n, leg + 1)
    else if (isFulfilledBy(body, condition)) ends.commit(n)
    else ends.fail(n, 'the fulfilment does not match the condition')
  }

  return { counts, ask, takeRequest, takeAnswer, post }
}

/** Sends messages to the hub, and counts them until it has answered. */
function openPost(send: FlowParts['send'], ends: Ends) {
  let underWay = 0
  return {
    get underWay() {
      return underWay
    },
    dispatch(n: number, message: Message, onResult: (result: 'TAKEN' | 'BUSY') => void): void {
      underWay += 1
      send(message).then(
        (result) => {
          underWay -= 1
          onResult(result)
        },
        (error: unknown) => {
          underWay -= 1
          ends.fail(n, `${message.method} /${message.resource}: ${(error as Error).message}`)
        },
      )
    },
  }
}

type Ends = ReturnType<typeof openEnds>

/** How each payment has ended. */
function openEnds(payments: number) {
  const states = new Uint8Array(payments)
  const counted = { committed: 0, failed: 0, refused: 0, unanswered: 0 }
  const failures: Record<string, number> = {}
  const refusedByPayer = new Map<number, number>()
  let isUnanswered: (n: number) => boolean = () => false

  /** False when it has ended before. */
  function end(n: number, state: number, as: keyof typeof counted): boolean {
    if (states[n] !== underWayState) return false
    states[n] = state
    counted[as] += 1
    return true
  }

  return {
    counted,
    failures,
    refusedByPayer,
    stateOf: (n: number) => states[n] ?? 0,
    begin: (n: number) => void (states[n] = underWayState),
    commit: (n: number) => void end(n, committedState, 'committed'),
    taken(n: number): void {
      if (isUnanswered(n)) end(n, unansweredState, 'unanswered')
    },
    expectNoAnswer(to: (n: number) => boolean): void {
      isUnanswered = to
      for (let n = 0; n < payments; n += 1) if (to(n)) end(n, unansweredState, 'unanswered')
    },
    /** False when it has ended before. */
    refuse(n: number, payer: number): boolean {
      if (!end(n, refusedState, 'refused')) return false
      refusedByPayer.set(payer, (refusedByPayer.get(payer) ?? 0) + 1)
      return true
    },
    fail(n: number, reason: string): void {
      if (!end(n, failedState, 'failed')) return
      const without = reason.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{11}/g, '{ID}')
      failures[without] = (failures[without] ?? 0) + 1
    },
  }
}

/** By the number of the FSP, up to the last one with a count. */
function fspsOf(counts: ReadonlyMap<number, number>): readonly number[] {
  return Array.from(
    { length: Math.max(-1, ...counts.keys()) + 1 },
    (_, fsp) => counts.get(fsp) ?? 0,
  )
}

/** Bodies begin with their id: `{"quoteId":"…`, `{"transferId":"…`. */
function idIn(body: Buffer): string {
  const start = body.indexOf('":"') + 3
  return body.toString('latin1', start, start + 36)
}

function isSame(got: Buffer, sent: Buffer | undefined): boolean {
  return sent === undefined ? got.length === 0 : got.equals(sent)
}

function isFulfilledBy(body: Buffer, condition: string): boolean {
  const { fulfilment, transferState } = JSON.parse(body.toString()) as Record<string, unknown>
  return transferState === 'COMMITTED' && fulfils(String(fulfilment), condition)
}
