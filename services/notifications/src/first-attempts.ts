/**
 * First attempts, from memory. Notifications about one entity leave for one FSP one after the other, in
 * a chain; no chain waits for another one. A notification that is not answered in its time is parked:
 * stored for later attempts, while the attempt under way goes on. What follows it in its chain is parked
 * behind it. So is at once what would make the bodies of one FSP's unanswered notifications too large.
 */
import type { Notification, Result } from './contract.ts'
import type { BackoffBounds } from './domain/backoff.ts'
import type { AttemptEnd } from './domain/step.ts'
import { noTries } from './domain/tries.ts'
import type { Delivery } from './lane.ts'
import type { Lanes } from './lanes.ts'
import { modifiedResult, parkedResult, resultOf } from './result.ts'
import type { Known } from './store.ts'

/** A notification that was taken from the bus. */
export interface Taken {
  readonly notification: Notification
  /** The store may hold it, or something before it: it is asked first. */
  readonly needsLookUp: boolean
}

export interface FirstAttemptParts {
  readonly lanes: Lanes
  readonly backoff: BackoffBounds
  readonly park_after_ms: number
  /** Of the bodies that wait for one FSP's answer together; a single body may be larger. */
  readonly bytesPerFsp_max: number
  /** What the store holds of it. */
  readonly known: (notification: Notification) => Promise<Known>
  /** Resolves when it is stored; results are stored in the order of the calls. */
  readonly store: (result: Result) => Promise<void>
  /** An attempt that had been parked has ended, and its row is stored. */
  readonly onLateEnd: (notification: Notification, end: AttemptEnd) => void
}

export interface FirstAttempts {
  /**
   * Resolves when each of them is stored as delivered, given up or parked, or was known before. Rejects
   * with the first failure once nothing of them is under way.
   */
  begin(taken: readonly Taken[]): Promise<void>
  /** Whether the notification is under way or being stored. */
  has(notificationId: string): boolean
}

/** The notifications of one call. */
interface Group {
  open: number
  failure: Error | undefined
  readonly onOver: () => void
}

interface Item {
  readonly notification: Notification
  readonly group: Group
  /** Undefined: the store is being asked. */
  known: Known | undefined
  /** The attempt under way. */
  delivery: Delivery | undefined
  /** Resolves when the row of the parked notification is stored. */
  parked: Promise<void> | undefined
}

/** What is for one FSP and about one entity. */
interface Chain {
  readonly key: string
  readonly fspId: string
  /** In their order; the first one is the one that is tried. */
  readonly items: Item[]
  /** Something of it was parked: nothing that came behind may overtake it. */
  isParking: boolean
  /** Parked rows that are being stored. */
  storing: number
}

const unknown: Known = { taken: false, blocked: false, modified: false }

interface State extends FirstAttemptParts {
  readonly chains: Map<string, Chain>
  /** Ids of what is under way or being stored. */
  readonly open: Set<string>
  /** Of the bodies that wait for the answer of an FSP; none: 0. */
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
        const items = taken.map(({ notification, needsLookUp }): Item => {
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

function enter(state: State, item: Item): void {
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

async function lookUp(state: State, chain: Chain, item: Item): Promise<void> {
  try {
    item.known = await state.known(item.notification)
  } catch (error) {
    chain.items.splice(chain.items.indexOf(item), 1)
    finish(state, item, asError(error))
  }
  advance(state, chain)
}

/** Brings the chain to where it waits for an answer, or to its end. */
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

function isRoomFor({ waiting_bytes, bytesPerFsp_max }: State, { notification }: Item): boolean {
  const waiting = waiting_bytes.get(notification.fspId)
  return waiting === undefined || waiting + notification.body.length <= bytesPerFsp_max
}

/** So many bytes more, or fewer, wait for the answer of the FSP. */
function wait({ waiting_bytes }: State, fspId: string, bytes: number): void {
  const waiting = (waiting_bytes.get(fspId) ?? 0) + bytes
  if (waiting === 0) waiting_bytes.delete(fspId)
  else waiting_bytes.set(fspId, waiting)
}

function attempt(state: State, chain: Chain, item: Item): void {
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

function take(state: State, chain: Chain, item: Item, end: AttemptEnd): void {
  wait(state, chain.fspId, -item.notification.body.length)
  const tried = { notification: item.notification, attempts: 0, tries: noTries, stored: false }
  const result = resultOf(tried, end, state.backoff)
  chain.items.shift()
  if (result.type === 'ENDED') void store(state, item, result)
  else park(state, chain, item, result)
  advance(state, chain)
}

function park(state: State, chain: Chain, item: Item, result: Result): void {
  chain.isParking = true
  chain.storing += 1
  item.parked = store(state, item, result).finally(() => {
    chain.storing -= 1
    advance(state, chain)
  })
}

async function store(state: State, item: Item, result: Result): Promise<void> {
  try {
    await state.store(result)
    finish(state, item, undefined)
  } catch (error) {
    finish(state, item, asError(error))
  }
}

function finish(state: State, { group, notification }: Item, failure: Error | undefined): void {
  state.open.delete(notification.id)
  group.failure ??= failure
  group.open -= 1
  if (group.open === 0) group.onOver()
}

/** Their time is over: what is under way goes on, and what waits behind it waits in the store. */
function parkUnanswered(state: State, group: Group, items: readonly Item[]): void {
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

/** No FSP id holds a line feed. */
function chainKey({ fspId, entityId }: Notification): string {
  return `${fspId}\n${entityId}`
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
