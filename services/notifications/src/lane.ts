/**
 * One lane per FSP, and one for the mail server, each with its own connections, slots and circuit: who
 * is slow or away delays nobody but itself.
 */
import type { Notification } from './contract.ts'
import {
  afterAttempt,
  afterTrialBegan,
  closedCircuit,
  trialDue,
  type Circuit,
  type CircuitBounds,
} from './domain/circuit.ts'
import type { AttemptEnd } from './domain/step.ts'
import type { Measures } from './measures.ts'
import type { Room } from './store.ts'
import type { Sent, Transport } from './transport.ts'

/** A notification on its way through a lane. */
export interface Delivery {
  readonly notification: Notification
  /** Attempts before this one. */
  readonly attempts: number
  /** The attempt must begin before this moment. */
  readonly begin_before_ms: number
  /** Told exactly once, unless the delivery was withdrawn or its moment passed while it waited. */
  readonly onEnd: (end: AttemptEnd) => void
}

export interface LaneBounds extends CircuitBounds {
  readonly requests_max: number
  readonly timeout_ms: number
}

export interface Lane {
  /** A first attempt: begins as soon as a slot is free; ends as NOT_BEGUN when none will be soon. */
  offer(delivery: Delivery): void
  /** A further attempt, for which there was room: goes before those that wait. */
  offerAgain(delivery: Delivery): void
  /**
   * Nobody waits for the delivery any longer. The moment at which its attempt will be over at the
   * latest; undefined when it had not begun, and then it will not begin.
   */
  release(delivery: Delivery): number | undefined
  room(now_ms: number): Room
  readonly idle: boolean
  /** Fails what is under way. */
  close(): Promise<void>
}

export interface LaneParts {
  readonly bounds: LaneBounds
  readonly measures: Measures
  /** The FSP answers again after a time in which it got only trials. */
  readonly onRecovered: (fspId: string) => void
}

interface LaneState extends LaneParts {
  readonly fspId: string
  readonly transport: Transport
  /** With the moment at which each attempt began. */
  readonly underWay: Map<Delivery, number>
  readonly again: Set<Delivery>
  readonly waiting: Set<Delivery>
  /** Those under way that nobody waits for: when they fill the lane, no slot is soon free. */
  readonly overdue: Set<Delivery>
  circuit: Circuit
}

export function openLane(fspId: string, transport: Transport, parts: LaneParts): Lane {
  const { requests_max, timeout_ms } = parts.bounds
  const lane: LaneState = {
    ...parts,
    fspId,
    transport,
    underWay: new Map(),
    again: new Set(),
    waiting: new Set(),
    overdue: new Set(),
    circuit: closedCircuit,
  }
  return {
    offer(delivery) {
      if (takesOffers(lane)) {
        lane.waiting.add(delivery)
        fill(lane)
      } else {
        delivery.onEnd({ type: 'NOT_BEGUN' })
      }
    },
    offerAgain(delivery) {
      lane.again.add(delivery)
      fill(lane)
    },
    release(delivery) {
      lane.waiting.delete(delivery)
      const began_ms = lane.underWay.get(delivery)
      if (began_ms === undefined) return undefined
      lane.overdue.add(delivery)
      return began_ms + timeout_ms
    },
    room(now_ms) {
      const free = Math.max(requests_max - lane.underWay.size - lane.again.size, 0)
      if (lane.circuit.state === 'CLOSED') return { fspId, slots: free, trial: false }
      return { fspId, slots: trialDue(lane.circuit, now_ms) ? Math.min(free, 1) : 0, trial: true }
    },
    get idle() {
      return lane.underWay.size === 0
    },
    close: () => lane.transport.close(),
  }
}

function takesOffers({ bounds, overdue, circuit }: LaneState): boolean {
  if (overdue.size >= bounds.requests_max) return false
  return circuit.state === 'CLOSED' || trialDue(circuit, Date.now())
}

/** Begins attempts while there are slots; one whose moment has passed is left out without a word. */
function fill(lane: LaneState): void {
  while (lane.underWay.size < lane.bounds.requests_max) {
    const delivery = takeFirst(lane.again) ?? takeFirst(lane.waiting)
    if (delivery === undefined) return
    const now_ms = Date.now()
    if (delivery.notification.deadline_ms <= now_ms) delivery.onEnd({ type: 'EXPIRED' })
    else if (now_ms < delivery.begin_before_ms) begin(lane, delivery, now_ms)
  }
}

function takeFirst(deliveries: Set<Delivery>): Delivery | undefined {
  for (const delivery of deliveries) {
    deliveries.delete(delivery)
    return delivery
  }
  return undefined
}

function begin(lane: LaneState, delivery: Delivery, now_ms: number): void {
  lane.underWay.set(delivery, now_ms)
  lane.circuit = afterTrialBegan(lane.circuit, now_ms, lane.bounds)
  void lane.transport.send(delivery.notification).then((sent) => end(lane, delivery, sent))
}

function end(lane: LaneState, delivery: Delivery, sent: Sent): void {
  const began_ms = lane.underWay.get(delivery) ?? Date.now()
  lane.underWay.delete(delivery)
  lane.overdue.delete(delivery)
  const { verdict, httpStatus, refusal } = sent
  lane.measures.attempted(verdict.type)
  turnCircuit(lane, verdict.healthy)
  delivery.onEnd({ type: 'ATTEMPTED', verdict, httpStatus, began_ms, refusal })
  fill(lane)
}

/** When the circuit opens, what waits is turned away; when it closes, what is parked is due. */
function turnCircuit(lane: LaneState, healthy: boolean): void {
  const before = lane.circuit.state
  lane.circuit = afterAttempt(lane.circuit, healthy, Date.now(), lane.bounds)
  const { state } = lane.circuit
  if (state === before) return
  lane.measures.circuitOpen(lane.fspId, state === 'OPEN')
  if (state === 'CLOSED') {
    lane.onRecovered(lane.fspId)
    return
  }
  const turnedAway = [...lane.waiting]
  lane.waiting.clear()
  for (const delivery of turnedAway) delivery.onEnd({ type: 'NOT_BEGUN' })
}
