/**
 * The sequence of payments at their two FSPs: each message is sent as soon as the one before it has
 * arrived, and each received message is compared with the one that was sent. A payment ends once:
 * its payer FSP has the fulfilment of its condition, the hub was too busy for one of its requests,
 * or it has failed and is counted with its reason.
 */
import { fulfils } from '@causeway/fspiop'
import type { Inbound } from '../../fsp/connection.ts'
import type { LegName } from '../options.ts'
import { idIn, type BenchMessage } from './link.ts'
import type { LegTotals, Totals } from './messages.ts'
import { numberOf, resources, type PreparedPayment } from './payments.ts'
import type { Timeline } from './timeline.ts'

/** A message as an FSP received it. */
export type Arrival = Pick<Inbound, 'method' | 'path' | 'body'>

export interface PaymentFlow {
  begin(n: number, scheduled_ms: number): void
  /** False when the message belongs to no payment. */
  take(arrival: Arrival, at_ms: number): boolean
  /** Only the first end of a payment counts. */
  fail(n: number, reason: string): void
  hasEnded(n: number): boolean
  hasCommitted(n: number): boolean
  /** Messages that the hub has not answered yet. */
  readonly underWay: number
  readonly committed: number
  totals(): Totals
}

export interface FlowParts {
  readonly payments: readonly PreparedPayment[]
  readonly legs: readonly LegName[]
  readonly timeline: Timeline
  readonly send: (message: BenchMessage) => Promise<'TAKEN' | 'BUSY'>
}

const underWayState = 1
const committedState = 2
const failedState = 3
const refusedState = 4

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
    take({ method, path, body }, at_ms) {
      const segments = path.split('/')
      const isError = segments.at(-1) === 'error'
      const leg = legOf.get(segments[1] ?? '')
      const id = method === 'POST' ? idIn(body) : segments.at(isError ? -2 : -1)
      const n = numberOf(id ?? '')
      if (leg === undefined || payments[n] === undefined) return false
      if (isError) {
        ends.fail(n, `PUT /${segments[1]}/{ID}/error: ${body.toString()}`)
        return true
      }
      const bit = 1 << (method === 'PUT' ? legs.length + leg : leg)
      const before = seen[n] ?? 0
      seen[n] = before | bit
      if ((before & bit) !== 0) repeated += 1
      else if (method === 'PUT') steps.takeAnswer(n, leg, body, at_ms)
      else steps.takeRequest(n, leg, body, at_ms)
      return true
    },
    fail: (n, reason) => ends.fail(n, reason),
    hasEnded: (n) => ends.stateOf(n) > underWayState,
    hasCommitted: (n) => ends.stateOf(n) === committedState,
    get underWay() {
      return steps.post.underWay
    },
    get committed() {
      return ends.counted.committed
    },
    totals() {
      const { committed, refused } = ends.counted
      return {
        begun,
        committed,
        refused,
        refusedByPayer: Array.from(ends.refusedByPayer, (count) => count ?? 0),
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
function openSteps({ payments, legs, timeline, send }: FlowParts, ends: Ends) {
  const counts = legs.map(() => ({ ...nothing }))
  const post = { underWay: 0 }

  /** Counts the message until the hub has answered it. */
  function dispatch(
    n: number,
    message: BenchMessage,
    onResult: (result: 'TAKEN' | 'BUSY') => void,
  ) {
    post.underWay += 1
    send(message).then(
      (result) => {
        post.underWay -= 1
        onResult(result)
      },
      (error: unknown) => {
        post.underWay -= 1
        ends.fail(n, `${nameOf(message)}: ${(error as Error).message}`)
      },
    )
  }

  function ask(n: number, leg: number): void {
    const message = payments[n]?.legs[leg]?.request
    const count = counts[leg]
    if (message === undefined || count === undefined) return
    timeline.mark(n, leg, 'ASKED', performance.now())
    dispatch(n, message, (result) => {
      if (result === 'TAKEN') count.commands += 1
      else if (ends.refuse(n, message.from)) count.refused += 1
    })
  }

  /** The request of a leg arrives at the payee FSP. */
  function takeRequest(n: number, leg: number, body: Buffer, at_ms: number): void {
    const { request, answer } = payments[n]?.legs[leg] ?? {}
    const count = counts[leg]
    if (request === undefined || answer === undefined || count === undefined) return
    count.requests += 1
    timeline.mark(n, leg, 'REACHED', at_ms)
    if (!isSame(body, request.body)) ends.fail(n, `${nameOf(request)} was changed`)
    timeline.mark(n, leg, 'ANSWERED', performance.now())
    dispatch(n, answer, (result) => {
      if (result === 'BUSY') ends.fail(n, `${nameOf(answer)}: too busy`)
    })
  }

  /** The answer of a leg arrives at the payer FSP. */
  function takeAnswer(n: number, leg: number, body: Buffer, at_ms: number): void {
    const { condition, legs: messages } = payments[n] ?? {}
    const answer = messages?.[leg]?.answer
    const count = counts[leg]
    if (condition === undefined || answer === undefined || count === undefined) return
    if (!isSame(body, answer.body)) {
      ends.fail(n, `${nameOf(answer)} was changed`)
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

type Ends = ReturnType<typeof openEnds>

/** How each payment has ended. */
function openEnds(payments: number) {
  const states = new Uint8Array(payments)
  const counted = { committed: 0, failed: 0, refused: 0 }
  const failures: Record<string, number> = {}
  /** By the number of the FSP; sparse. */
  const refusedByPayer: (number | undefined)[] = []

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
    /** False when it has ended before. */
    refuse(n: number, payer: number): boolean {
      if (!end(n, refusedState, 'refused')) return false
      refusedByPayer[payer] = (refusedByPayer[payer] ?? 0) + 1
      return true
    },
    fail(n: number, reason: string): void {
      if (!end(n, failedState, 'failed')) return
      const without = reason.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{11}/g, '{ID}')
      failures[without] = (failures[without] ?? 0) + 1
    },
  }
}

function nameOf({ method, path }: BenchMessage): string {
  return `${method} /${path.split('/')[1]}`
}

function isSame(got: Buffer, sent: Buffer | undefined): boolean {
  return sent === undefined ? got.length === 0 : got.equals(sent)
}

function isFulfilledBy(body: Buffer, condition: string): boolean {
  const { fulfilment, transferState } = JSON.parse(body.toString()) as Record<string, unknown>
  return transferState === 'COMMITTED' && fulfils(String(fulfilment), condition)
}
