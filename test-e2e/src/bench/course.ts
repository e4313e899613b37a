/**
 * The course of payments at their two FSPs: each message leaves as soon as the one before it has come,
 * and each that comes is held against what was sent. A payment ends once: its payer FSP holds the
 * fulfilment of its condition, or it has failed and is counted with its reason.
 */
import { fulfils } from '@causeway/fspiop'
import type { LegTotals, Totals } from './messages.ts'
import type { LegName } from './options.ts'
import { numberOf, resources, type Message, type Payment } from './payments.ts'
import type { Timeline } from './timeline.ts'

/** A message as an FSP got it. */
export interface Arrival {
  readonly method: string
  readonly resource: string
  /** From the path; '' for a POST, whose body has it. */
  readonly id: string
  readonly isError: boolean
  readonly body: Buffer
  readonly at_ms: number
}

export interface Course {
  begin(n: number, scheduled_ms: number): void
  /** False when it is about no payment. */
  take(arrival: Arrival): boolean
  /** Only the first end of a payment counts. */
  fail(n: number, reason: string): void
  hasEnded(n: number): boolean
  hasCommitted(n: number): boolean
  /** Messages that the hub has not answered yet. */
  readonly underWay: number
  /** Payments that have ended. */
  readonly ended: number
  readonly committed: number
  totals(): Totals
}

export interface CourseParts {
  readonly payments: readonly Payment[]
  readonly legs: readonly LegName[]
  readonly timeline: Timeline
  /** Resolves when the hub has taken the message; rejects when it refused it. */
  readonly send: (message: Message) => Promise<void>
  readonly now_ms: () => number
}

const underWayState = 1
const committedState = 2
const failedState = 3

export function openCourse(parts: CourseParts): Course {
  const { payments, legs, timeline, send, now_ms } = parts
  const states = new Uint8Array(payments.length)
  /** A bit for each message that has come: requests, then answers. */
  const seen = new Uint8Array(payments.length)
  const failures: Record<string, number> = {}
  const counts = legs.map(() => ({ commands: 0, requests: 0, callbacks: 0 }))
  const legOf = new Map<string, number>(legs.map((name, leg) => [resources[name], leg]))
  let begun = 0
  let committed = 0
  let failed = 0
  let repeated = 0
  let underWay = 0

  function ask(n: number, leg: number): void {
    const message = payments[n]?.legs[leg]?.request
    if (message === undefined) return
    timeline.mark(n, leg, 'ASKED', now_ms())
    dispatch(n, message, () => {
      const count = counts[leg]
      if (count !== undefined) count.commands += 1
    })
  }

  function dispatch(n: number, message: Message, onTaken: () => void): void {
    underWay += 1
    send(message).then(
      () => {
        underWay -= 1
        onTaken()
      },
      (error: unknown) => {
        underWay -= 1
        fail(n, `${message.method} /${message.resource}: ${(error as Error).message}`)
      },
    )
  }

  /** The request of a leg at the payee FSP. */
  function takeRequest(n: number, leg: number, { body, at_ms }: Arrival): void {
    const { request, answer } = payments[n]?.legs[leg] ?? {}
    const count = counts[leg]
    if (request === undefined || answer === undefined || count === undefined) return
    count.requests += 1
    timeline.mark(n, leg, 'REACHED', at_ms)
    if (!isSame(body, request.body)) fail(n, `${request.method} /${request.resource} was changed`)
    timeline.mark(n, leg, 'ANSWERED', now_ms())
    dispatch(n, answer, () => undefined)
  }

  /** The answer of a leg at the payer FSP. */
  function takeAnswer(n: number, leg: number, { body, at_ms }: Arrival): void {
    const { condition, legs: messages } = payments[n] ?? {}
    const answer = messages?.[leg]?.answer
    const count = counts[leg]
    if (condition === undefined || answer === undefined || count === undefined) return
    if (!isSame(body, answer.body)) {
      fail(n, `PUT /${answer.resource} was changed`)
      return
    }
    count.callbacks += 1
    timeline.mark(n, leg, 'DONE', at_ms)
    if (states[n] !== underWayState) return
    if (leg + 1 < legs.length) ask(n, leg + 1)
    else if (isFulfilledBy(body, condition)) {
      states[n] = committedState
      committed += 1
    } else fail(n, 'the fulfilment does not fit the condition')
  }

  function fail(n: number, reason: string): void {
    if (states[n] !== underWayState) return
    states[n] = failedState
    failed += 1
    const without = reason.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{11}/g, '{ID}')
    failures[without] = (failures[without] ?? 0) + 1
  }

  return {
    begin(n, scheduled_ms) {
      states[n] = underWayState
      begun += 1
      timeline.scheduled(n, scheduled_ms)
      ask(n, 0)
    },
    take(arrival) {
      const { method, resource, isError, body } = arrival
      const leg = legOf.get(resource)
      const n = numberOf(method === 'POST' ? idIn(body) : arrival.id)
      if (leg === undefined || payments[n] === undefined) return false
      if (isError) {
        fail(n, `PUT /${resource}/{ID}/error: ${body.toString()}`)
        return true
      }
      const bit = 1 << (method === 'PUT' ? legs.length + leg : leg)
      const before = seen[n] ?? 0
      seen[n] = before | bit
      if ((before & bit) !== 0) repeated += 1
      else if (method === 'PUT') takeAnswer(n, leg, arrival)
      else takeRequest(n, leg, arrival)
      return true
    },
    fail,
    hasEnded: (n) => (states[n] ?? 0) > underWayState,
    hasCommitted: (n) => states[n] === committedState,
    get underWay() {
      return underWay
    },
    get ended() {
      return committed + failed
    },
    get committed() {
      return committed
    },
    totals: () => ({
      begun,
      committed,
      failures: { ...failures },
      repeated,
      legs: Object.fromEntries(
        legs.map((name, leg): [LegName, LegTotals] => [
          name,
          { commands: 0, requests: 0, callbacks: 0, ...counts[leg] },
        ]),
      ),
    }),
  }
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
