/**
 * One lane per FSP and one for the mail server, each with its own connections, slots and circuit: a
 * slow or unavailable FSP delays no other. The sources of its messages share its slots, so that no
 * source delays another.
 */
import {
  afterBegin,
  afterEnd,
  closedCircuit,
  mayCall,
  type Circuit,
  type CircuitBounds,
} from '@causeway/http'
import type { Notification } from '../contract.ts'
import { openFairQueue, type FairQueue } from '../domain/fair-queue.ts'
import { openSlots, allocateSlots, type Slots } from '../domain/slots.ts'
import type { AttemptEnd } from '../domain/step.ts'
import type { DeliveryMeasures } from '../measures.ts'
import type { Room } from '../parked-store.ts'
import type { Reachability } from '../reachability.ts'
import type { FspRefusal, AttemptVerdict } from '../domain/verdict.ts'

/** The result of one attempt. */
export interface AttemptResult {
  readonly verdict: AttemptVerdict
  /** The status of the HTTP answer; null when there was none. */
  readonly httpStatus: number | null
  /** The error in the answer of a refusing FSP. */
  readonly refusal: FspRefusal | undefined
}

/** What a lane sends over: makes one attempt and interprets its answer. */
export interface Transport {
  /** Never rejects: a failure is a verdict. */
  send(notification: Notification): Promise<AttemptResult>
  /** Fails the attempts in progress. */
  close(): Promise<void>
}

/** A notification in a lane. */
export interface LaneDelivery {
  readonly notification: Notification
  /** Attempts before this one. */
  readonly attempts: number
  /** The attempt must begin before this moment. */
  readonly begin_before_ms: number
  /** Called exactly once, unless the delivery was released or `begin_before_ms` passed in the queue. */
  readonly onEnd: (end: AttemptEnd) => void
}

export interface LaneBounds extends CircuitBounds {
  readonly requests_max: number
  readonly timeout_ms: number
}

export interface Lane {
  /** A first attempt: begins when a slot is free; ends as NOT_BEGUN when none is free soon. */
  offer(delivery: LaneDelivery): void
  /** A further attempt, for which `rooms` reported a slot: it precedes queued first attempts. */
  offerRetry(delivery: LaneDelivery): void
  /**
   * The caller no longer waits for the delivery. Returns the latest end of its attempt; undefined when
   * it has not begun, and then it does not begin.
   */
  release(delivery: LaneDelivery): number | undefined
  /** Whether there can be slots for further attempts. */
  hasRoom(now_ms: number): boolean
  /** The slots for further attempts of each of these sources; `sources` are in order. */
  rooms(sources: readonly string[], now_ms: number): readonly Room[]
  /**
   * The FSP has another address. Queued deliveries end as NOT_BEGUN, attempts in progress to the old
   * address hold no slot and no longer count for the FSP's health, and the circuit closes.
   */
  move(): void
  /** The FSP's last change of address; 0: none known to this process. */
  readonly moved_ms: number
  readonly idle: boolean
  /** Fails the attempts in progress. */
  close(): Promise<void>
}

export interface LaneParts {
  readonly bounds: LaneBounds
  readonly measures: DeliveryMeasures
  readonly reachability: Pick<Reachability, 'note'>
  /** The circuit has closed: the FSP answers again. */
  readonly onRecovered: (fspId: string) => void
}

interface UnderWay {
  readonly began_ms: number
  /** The FSP had another address when it began. */
  isOutdated: boolean
}

interface LaneState extends LaneParts {
  readonly fspId: string
  readonly transport: Transport
  readonly underWay: Map<LaneDelivery, UnderWay>
  readonly retries: Set<LaneDelivery>
  readonly waiting: FairQueue<LaneDelivery>
  /** Slots of the attempts in progress and of the queued further attempts. */
  slots: Slots
  /** Attempts in progress that were released. */
  readonly overdue: Set<LaneDelivery>
  /** The slots of the overdue attempts only: a source without a free slot here gets none soon. */
  overdueSlots: Slots
  /** The source that was served last. */
  lastSource: string
  moved_ms: number
  circuit: Circuit
}

function openLane(fspId: string, transport: Transport, parts: LaneParts): Lane {
  const { requests_max, timeout_ms } = parts.bounds
  const lane: LaneState = {
    ...parts,
    fspId,
    transport,
    underWay: new Map(),
    retries: new Set(),
    waiting: openFairQueue(),
    slots: openSlots(requests_max),
    overdue: new Set(),
    overdueSlots: openSlots(requests_max),
    lastSource: '',
    moved_ms: 0,
    circuit: closedCircuit,
  }
  return {
    offer(delivery) {
      const { source } = delivery.notification
      if (takesOffers(lane, source)) {
        lane.waiting.add(source, delivery)
        fill(lane)
      } else {
        delivery.onEnd({ type: 'NOT_BEGUN' })
      }
    },
    offerRetry(delivery) {
      lane.retries.add(delivery)
      lane.slots.take(delivery.notification.source)
      fill(lane)
    },
    release(delivery) {
      const { source } = delivery.notification
      lane.waiting.remove(source, delivery)
      const attempt = lane.underWay.get(delivery)
      if (attempt === undefined) return undefined
      if (!attempt.isOutdated && !lane.overdue.has(delivery)) {
        lane.overdue.add(delivery)
        lane.overdueSlots.take(source)
      }
      return attempt.began_ms + timeout_ms
    },
    hasRoom: (now_ms) => furtherAttempts_max(lane, now_ms) > 0,
    rooms(sources, now_ms) {
      const slots_max = furtherAttempts_max(lane, now_ms)
      const trial = lane.circuit.state === 'OPEN'
      const shares = allocateSlots(lane.slots, sources, lane.lastSource, slots_max)
      return [...shares].map(([source, slots]) => ({ fspId, source, slots, trial }))
    },
    move: () => move(lane),
    get moved_ms() {
      return lane.moved_ms
    },
    get idle() {
      return lane.underWay.size === 0
    },
    close: () => lane.transport.close(),
  }
}

function takesOffers({ overdueSlots, circuit }: LaneState, source: string): boolean {
  if (!overdueSlots.hasFreeFor(source)) return false
  return mayCall(circuit, Date.now())
}

function furtherAttempts_max({ bounds, slots, circuit }: LaneState, now_ms: number): number {
  const free = Math.max(bounds.requests_max - slots.taken, 0)
  if (circuit.state === 'CLOSED') return free
  return mayCall(circuit, now_ms) ? Math.min(free, 1) : 0
}

/** Begins attempts while there are slots; one past its `begin_before_ms` is dropped silently. */
function fill(lane: LaneState): void {
  for (;;) {
    const delivery = takeRetry(lane) ?? takeFirst(lane)
    if (delivery === undefined) return
    const now_ms = Date.now()
    const isExpired = delivery.notification.deadline_ms <= now_ms
    if (!isExpired && now_ms < delivery.begin_before_ms) {
      begin(lane, delivery, now_ms)
      continue
    }
    lane.slots.release(delivery.notification.source)
    if (isExpired) delivery.onEnd({ type: 'EXPIRED' })
  }
}

/** Its slot was taken when it was offered; first attempts may have used it since. */
function takeRetry({ retries, slots, bounds }: LaneState): LaneDelivery | undefined {
  if (slots.taken - retries.size >= bounds.requests_max) return undefined
  for (const delivery of retries) {
    retries.delete(delivery)
    return delivery
  }
  return undefined
}

function takeFirst({ waiting, slots }: LaneState): LaneDelivery | undefined {
  const delivery = waiting.takeNext((source) => slots.hasFreeFor(source))
  if (delivery !== undefined) slots.take(delivery.notification.source)
  return delivery
}

function begin(lane: LaneState, delivery: LaneDelivery, now_ms: number): void {
  lane.underWay.set(delivery, { began_ms: now_ms, isOutdated: false })
  lane.lastSource = delivery.notification.source
  lane.circuit = afterBegin(lane.circuit, now_ms, lane.bounds)
  void lane.transport.send(delivery.notification).then((sent) => end(lane, delivery, sent))
}

function end(lane: LaneState, delivery: LaneDelivery, sent: AttemptResult): void {
  const { began_ms = Date.now(), isOutdated = false } = lane.underWay.get(delivery) ?? {}
  const { source } = delivery.notification
  const { verdict, httpStatus, refusal } = sent
  lane.underWay.delete(delivery)
  lane.measures.attempted(verdict.type)
  if (!isOutdated) {
    lane.slots.release(source)
    if (lane.overdue.delete(delivery)) lane.overdueSlots.release(source)
    updateCircuit(lane, verdict)
  }
  delivery.onEnd({ type: 'ATTEMPTED', verdict, httpStatus, began_ms, refusal })
  fill(lane)
}

/** When the circuit opens, queued deliveries are rejected; when it closes, parked ones become due. */
function updateCircuit(lane: LaneState, { healthy, error }: AttemptVerdict): void {
  const before = lane.circuit.state
  lane.circuit = afterEnd(lane.circuit, healthy, Date.now(), lane.bounds)
  const { state } = lane.circuit
  // One failure opens no circuit, and reaches no FSP either.
  if (healthy || state === 'OPEN') lane.reachability.note(lane.fspId, state === 'OPEN', error)
  if (state === before) return
  lane.measures.circuitOpen(lane.fspId, state === 'OPEN')
  if (state === 'CLOSED') lane.onRecovered(lane.fspId)
  else rejectWaiting(lane)
}

function rejectWaiting({ waiting }: LaneState): void {
  for (const delivery of waiting.drain()) delivery.onEnd({ type: 'NOT_BEGUN' })
}

function move(lane: LaneState): void {
  const { requests_max } = lane.bounds
  lane.moved_ms = Date.now()
  for (const attempt of lane.underWay.values()) attempt.isOutdated = true
  lane.overdue.clear()
  lane.overdueSlots = openSlots(requests_max)
  lane.slots = openSlots(requests_max)
  for (const { notification } of lane.retries) lane.slots.take(notification.source)
  if (lane.circuit.state === 'OPEN') lane.measures.circuitOpen(lane.fspId, false)
  lane.circuit = closedCircuit
  lane.reachability.note(lane.fspId, false, '')
  rejectWaiting(lane)
  fill(lane)
}

/** The lanes of all FSPs and of the mail server; a lane is opened at its first message. */
export interface Lanes {
  of(fspId: string): Lane
  /** The FSP has another address. */
  move(fspId: string): void
  /** Whether the FSP has changed its address since that time. */
  hasMovedSince(fspId: string, time_ms: number): boolean
  readonly idle: boolean
  close(): Promise<void>
}

export interface LanesParts extends LaneParts {
  readonly transportTo: (fspId: string) => Transport
}

export function openLanes(parts: LanesParts): Lanes {
  const lanes = new Map<string, Lane>()
  return {
    of(fspId) {
      let lane = lanes.get(fspId)
      if (lane === undefined) {
        lane = openLane(fspId, parts.transportTo(fspId), parts)
        lanes.set(fspId, lane)
      }
      return lane
    },
    move: (fspId) => lanes.get(fspId)?.move(),
    hasMovedSince: (fspId, time_ms) => time_ms <= (lanes.get(fspId)?.moved_ms ?? 0),
    get idle() {
      return [...lanes.values()].every(({ idle }) => idle)
    },
    async close() {
      await Promise.all([...lanes.values()].map((lane) => lane.close()))
    },
  }
}
