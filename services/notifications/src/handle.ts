/**
 * Receives notifications from the bus. Each is sent at once, and stays unfinished on the bus until it is
 * stored as delivered, failed or parked. No notification waits for one to another FSP, so a batch ends
 * as soon as its attempts have begun; only the number of open notifications is bounded.
 *
 * First attempts are made from memory. Notifications about one entity are sent to one FSP one after the
 * other, in a chain; no chain waits for another one. A notification that is not answered in time is parked:
 * it is stored for later attempts while the current attempt continues. The notifications behind it in
 * its chain are parked too. A notification is parked at once when the bodies of its FSP's unanswered
 * notifications would become too large.
 */
import type { BatchContext } from '@causeway/bus'
import type { DomainEvent } from '@causeway/events'
import { monthOf, type Database } from '@causeway/postgres'
import { gather, retrying, type Logger } from '@causeway/process'
import { notificationOf, type Notification, type NotificationResult } from './contract.ts'
import type { BackoffBounds } from './domain/backoff.ts'
import type { AttemptEnd } from './domain/step.ts'
import { noTries } from './domain/tries.ts'
import type { LaneDelivery, Lanes } from './lanes/lane.ts'
import type { Record } from './record.ts'
import { modifiedResult, parkedResult, resultOf } from './result.ts'
import { claimKeys, readKnown, type StoredStatus } from './store.ts'
import { continuing } from './lanes/tracing.ts'
import type { ParkedFsps } from './waiting.ts'

export interface HandleParts extends Omit<
  FirstAttemptParts,
  'known' | 'store' | 'bytesPerFsp_max'
> {
  readonly db: Database
  readonly log: Logger
  readonly record: Pick<Record, 'persistLater'>
  readonly waiting: Pick<ParkedFsps, 'mayHaveParked'>
  /** Whether attempts continue the trace of their event. */
  readonly isTraced: boolean
  /** Once aborted, an outage fails the call instead of being retried. */
  readonly stopping: AbortSignal
}

const lookUps_max = 512
/** Beyond one of these bounds nothing is received from the bus until some are stored. */
const open_max = 10_000
const open_bytes_max = 64 * 2 ** 20
/** The share of one FSP, so that an FSP that does not answer leaves room for the others. */
const bytesPerFsp_max = open_bytes_max / 4

export type Handle = (
  events: readonly DomainEvent<'NotifyRequested'>[],
  batch: Pick<BatchContext, 'until'>,
) => Promise<void>

export function openHandle(parts: HandleParts): Handle {
  const { db, log, record, waiting, isTraced, stopping: signal } = parts
  const ask = gather<Notification, StoredStatus>(
    async (asked) => {
      const known = await readKnown(db, asked, thisMonthAndLast(new Date()))
      const modified = await claimKeys(db, asked)
      return known.map((each, at) => {
        const notification = asked[at]
        return { ...each, modified: notification !== undefined && modified.has(notification) }
      })
    },
    { batch_max: lookUps_max },
  )
  const what = 'look up stored notifications'
  const attempts = openFirstAttempts({
    ...parts,
    bytesPerFsp_max,
    known: async (notification) => {
      const [known] = await retrying(() => ask([notification]), { log, what, signal })
      if (known === undefined) throw new Error('the look-up returned nothing')
      return known
    },
    store: (result) => record.persistLater([result]),
  })
  const room = openRoom()

  return async (events, batch) => {
    const taken = distinct(events, Date.now(), isTraced).filter(
      ({ notification: { id } }) => !attempts.has(id),
    )
    const bytes = taken.reduce((sum, { notification: { body } }) => sum + body.length, 0)
    batch.until(
      attempts
        .begin(
          taken.map((each) => ({ ...each, needsLookUp: each.needsLookUp || mayBeStored(each) })),
        )
        .finally(room.enter(taken.length, bytes)),
    )
    await room.whenAvailable()
  }

  /** An earlier one of its entity may be parked, or its key may belong to other content. */
  function mayBeStored({ notification: { fspId, request } }: ReceivedNotification): boolean {
    return request.idempotency !== undefined || waiting.mayHaveParked(fspId)
  }
}

interface Room {
  /** So much is open until the function that it returns is called. */
  enter(notifications: number, bytes: number): () => void
  /** Resolves when more may be taken. */
  whenAvailable(): Promise<void>
}

function openRoom(): Room {
  let open = 0
  let open_bytes = 0
  let onRoom: (() => void)[] = []
  const isFull = () => open >= open_max || open_bytes >= open_bytes_max
  return {
    enter(notifications, bytes) {
      open += notifications
      open_bytes += bytes
      return () => {
        open -= notifications
        open_bytes -= bytes
        if (isFull()) return
        const waiting = onRoom
        onRoom = []
        for (const resume of waiting) resume()
      }
    },
    whenAvailable: () =>
      isFull() ? new Promise((resolve) => onRoom.push(resolve)) : Promise.resolve(),
  }
}

/** Removes duplicates within a batch. */
function distinct(
  events: readonly DomainEvent<'NotifyRequested'>[],
  taken_ms: number,
  isTraced: boolean,
): readonly ReceivedNotification[] {
  const byId = new Map<string, ReceivedNotification>()
  for (const event of events) {
    const received = notificationOf(event, taken_ms)
    const notification = isTraced ? continuing(received, event.traceparent) : received
    if (!byId.has(notification.id))
      byId.set(notification.id, { notification, needsLookUp: event.maybeDuplicate })
  }
  return [...byId.values()]
}

function thisMonthAndLast(now: Date): readonly [string, string] {
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1))
  return [monthOf(last), monthOf(now)]
}

/** A notification received from the bus. */
export interface ReceivedNotification {
  readonly notification: Notification
  /** The database may hold it or an earlier one of its chain, and must be queried first. */
  readonly needsLookUp: boolean
}

export interface FirstAttemptParts {
  readonly lanes: Lanes
  readonly backoff: BackoffBounds
  readonly park_after_ms: number
  /** Total size of the bodies that wait for one FSP's answers; a single body may be larger. */
  readonly bytesPerFsp_max: number
  /** What the database holds of it. */
  readonly known: (notification: Notification) => Promise<StoredStatus>
  /** Resolves when it is stored; results are stored in the order of the calls. */
  readonly store: (result: NotificationResult) => Promise<void>
  /** The attempt of a parked notification has ended, and its row is stored. */
  readonly onLateEnd: (notification: Notification, end: AttemptEnd) => void
}

export interface FirstAttempts {
  /**
   * Resolves when each of them is stored as delivered, failed or parked, or was known before. Rejects
   * with the first failure once all of them have finished.
   */
  begin(taken: readonly ReceivedNotification[]): Promise<void>
  /** Whether the notification is in progress or being stored. */
  has(notificationId: string): boolean
}

/** The notifications of one call. */
interface Group {
  open: number
  failure: Error | undefined
  readonly onOver: () => void
}

interface NotificationInProgress {
  readonly notification: Notification
  readonly group: Group
  /** Undefined: the database query is in progress. */
  known: StoredStatus | undefined
  /** The attempt in progress. */
  delivery: LaneDelivery | undefined
  /** Resolves when the row of the parked notification is stored. */
  parked: Promise<void> | undefined
}

/** The notifications about one entity to one FSP. */
interface Chain {
  readonly key: string
  readonly fspId: string
  /** In order; the first one is being sent. */
  readonly items: NotificationInProgress[]
  /** One of them was parked, so all that follow must be parked too. */
  isParking: boolean
  /** Parked rows that are being stored. */
  storing: number
}

const unknown: StoredStatus = { taken: false, blocked: false, modified: false }

interface State extends FirstAttemptParts {
  readonly chains: Map<string, Chain>
  /** Ids of notifications in progress or being stored. */
  readonly open: Set<string>
  /** Size of the bodies that wait for an answer, by FSP; absent: 0. */
  readonly waiting_bytes: Map<string, number>
}

export function openFirstAttempts(parts: FirstAttemptParts): FirstAttempts {
  const state: State = { ...parts, chains: new Map(), open: new Set(), waiting_bytes: new Map() }
  return {
    begin: (taken) =>
      new Promise((resolve, reject) => {
        const group: Group = {
          open: taken.length,
          failure: undefined,
          onOver() {
            clearInterval(timer)
            if (group.failure === undefined) resolve()
            else reject(group.failure)
          },
        }
        const items = taken.map(({ notification, needsLookUp }): NotificationInProgress => {
          const known = needsLookUp ? undefined : unknown
          return { notification, group, known, delivery: undefined, parked: undefined }
        })
        const timer = setInterval(() => parkUnanswered(state, group, items), parts.park_after_ms)
        if (items.length === 0) group.onOver()
        for (const item of items) enter(state, item)
      }),
    has: (notificationId) => state.open.has(notificationId),
  }
}

function enter(state: State, item: NotificationInProgress): void {
  const { notification } = item
  const key = chainKey(notification)
  let chain = state.chains.get(key)
  if (chain === undefined) {
    chain = { key, fspId: notification.fspId, items: [], isParking: false, storing: 0 }
    state.chains.set(key, chain)
  }
  state.open.add(notification.id)
  chain.items.push(item)
  if (item.known === undefined) void lookUp(state, chain, item)
  else if (chain.items.length === 1) advance(state, chain)
}

async function lookUp(state: State, chain: Chain, item: NotificationInProgress): Promise<void> {
  try {
    item.known = await state.known(item.notification)
  } catch (error) {
    chain.items.splice(chain.items.indexOf(item), 1)
    finish(state, item, asError(error))
  }
  advance(state, chain)
}

/** Advances the chain until it waits for an answer or is empty. */
function advance(state: State, chain: Chain): void {
  for (;;) {
    const [item] = chain.items
    if (item === undefined) {
      if (chain.storing === 0) state.chains.delete(chain.key)
      return
    }
    if (item.known === undefined || item.delivery !== undefined) return
    const { taken, blocked, modified } = item.known
    if (!taken && !modified && !blocked && !chain.isParking && isRoomFor(state, item)) {
      attempt(state, chain, item)
      return
    }
    chain.items.shift()
    if (taken) finish(state, item, undefined)
    else if (modified) void store(state, item, modifiedResult(item.notification))
    else park(state, chain, item, parkedResult(item.notification, undefined))
  }
}

function isRoomFor(
  { waiting_bytes, bytesPerFsp_max }: State,
  { notification }: NotificationInProgress,
): boolean {
  const waiting = waiting_bytes.get(notification.fspId)
  return waiting === undefined || waiting + notification.body.length <= bytesPerFsp_max
}

/** Adds to the bytes that wait for the FSP's answers; negative to subtract. */
function wait({ waiting_bytes }: State, fspId: string, bytes: number): void {
  const waiting = (waiting_bytes.get(fspId) ?? 0) + bytes
  if (waiting === 0) waiting_bytes.delete(fspId)
  else waiting_bytes.set(fspId, waiting)
}

function attempt(state: State, chain: Chain, item: NotificationInProgress): void {
  const { notification } = item
  wait(state, chain.fspId, notification.body.length)
  item.delivery = {
    notification,
    attempts: 0,
    begin_before_ms: Infinity,
    onEnd(end) {
      if (item.parked === undefined) take(state, chain, item, end)
      else void item.parked.then(() => state.onLateEnd(notification, end))
    },
  }
  state.lanes.of(chain.fspId).offer(item.delivery)
}

function take(state: State, chain: Chain, item: NotificationInProgress, end: AttemptEnd): void {
  wait(state, chain.fspId, -item.notification.body.length)
  const tried = { notification: item.notification, attempts: 0, tries: noTries, stored: false }
  const result = resultOf(tried, end, state.backoff)
  chain.items.shift()
  if (result.type === 'ENDED') void store(state, item, result)
  else park(state, chain, item, result)
  advance(state, chain)
}

function park(
  state: State,
  chain: Chain,
  item: NotificationInProgress,
  result: NotificationResult,
): void {
  chain.isParking = true
  chain.storing += 1
  item.parked = store(state, item, result).finally(() => {
    chain.storing -= 1
    advance(state, chain)
  })
}

async function store(
  state: State,
  item: NotificationInProgress,
  result: NotificationResult,
): Promise<void> {
  try {
    await state.store(result)
    finish(state, item, undefined)
  } catch (error) {
    finish(state, item, asError(error))
  }
}

function finish(
  state: State,
  { group, notification }: NotificationInProgress,
  failure: Error | undefined,
): void {
  state.open.delete(notification.id)
  group.failure ??= failure
  group.open -= 1
  if (group.open === 0) group.onOver()
}

/** After `park_after_ms`: the attempt in progress continues; the notifications behind it are parked. */
function parkUnanswered(
  state: State,
  group: Group,
  items: readonly NotificationInProgress[],
): void {
  for (const { notification } of items) {
    const chain = state.chains.get(chainKey(notification))
    const [first] = chain?.items ?? []
    if (chain === undefined || first?.delivery === undefined || first.group !== group) continue
    chain.items.shift()
    wait(state, chain.fspId, -first.notification.body.length)
    const over_ms = state.lanes.of(chain.fspId).release(first.delivery)
    park(state, chain, first, parkedResult(first.notification, over_ms))
    advance(state, chain)
  }
}

/** No FSP id contains a line feed. */
function chainKey({ fspId, entityId }: Notification): string {
  return `${fspId}\n${entityId}`
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
