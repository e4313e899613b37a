/**
 * One consumer of a process whose topics may change while it runs. A running kafkajs consumer cannot
 * subscribe to further topics, so a change starts a new consumer; changes at about the same time are
 * one change.
 *
 * kafkajs treats some effects of an outage as final (a connection that is lost during login, a
 * coordinator that is not found), and sometimes waits for ever for a response. When a consumer ends or
 * stays silent, a new one replaces it. A consumer that is stopped while it joins the group joins
 * nevertheless, and would hold partitions that no process reads. So each has connections of its own,
 * which are closed with it, and the group soon removes it.
 */
import type { Logger } from '@causeway/process'
import type { Consumer, ConsumerCrashEvent, EachBatchPayload } from 'kafkajs'
import { pause } from '../../pause.ts'
import { bySubscription } from './assigner.ts'
import type { Brokers } from '../brokers.ts'
import { within } from '../deadline.ts'

export type Assignment = Readonly<Record<string, readonly number[]>>

export interface ConsumptionOptions {
  readonly brokers: Brokers
  /** Its name at the brokers. */
  readonly groupId: string
  /** Where nothing is committed it begins with the oldest message, or with the next one. */
  readonly begins: 'oldest' | 'newest'
  /** After this silence a member counts as dead, and its partitions are assigned to others. */
  readonly session_ms: number
  /** Duration of an idle fetch, and so of a stop. */
  readonly fetchWait_ms: number
  readonly log: Logger
  readonly onJoined: (assignment: Assignment, consumer: Consumer) => void
  /** The group rebalances, or this consumer is about to leave it; never rejects. */
  readonly onLeaving: () => Promise<void>
  readonly take: (payload: EachBatchPayload) => void
  /** Nothing is paused any more. */
  readonly onBegun: () => void
}

export interface Consumption {
  /** Soon reads these as well, each from its committed offset. */
  add(topics: readonly string[]): void
  /** Stops reading these. Without any topic left it leaves the group before it resolves. */
  remove(topics: readonly string[]): Promise<void>
  /** The running consumer. */
  readonly consumer: Consumer | undefined
  /** Whether it has joined the group with all of its topics. */
  readonly isJoined: boolean
  /** Since the last answer of Kafka; 0 while nothing is read. */
  silent_ms(): number
  stop(): Promise<void>
  /**
   * Like a kill of the process, the brokers being closed; resolves when nothing is retried any
   * more.
   */
  crash(): Promise<void>
}

interface Running {
  readonly consumer: Consumer
  readonly brokers: Brokers
  readonly topics: ReadonlySet<string>
  /** A topic was removed, or the consumer has ended. */
  isStale: boolean
  /** Ends the wait for its start. */
  readonly givenUp: AbortController
}

/** A service makes its subscriptions at its start within this time; they are one change. */
const gather_ms = 30
/** After one subscription is stopped the others mostly follow, and then nothing needs to change. */
const linger_ms = 500
const begin_again_ms = 500
/** Twice the time until the group notices a dead member, and no less than this. */
const silence_ms_max = 10_000
const look_ms = 1_000
const leave_ms_max = 2_000
const partition_bytes_max = 2 ** 20

interface ConsumptionParts extends ConsumptionOptions {
  readonly wanted: Set<string>
  readonly stopping: AbortController
  readonly state: State
}

interface State {
  running: Running | undefined
  changing: Promise<void> | undefined
  /** Ends the wait in which changes gather. */
  gathering: AbortController
  isJoined: boolean
  received_ms: number
  begun_ms: number
}

export function openConsumption(options: ConsumptionOptions): Consumption {
  const state: State = {
    running: undefined,
    changing: undefined,
    gathering: new AbortController(),
    isJoined: false,
    received_ms: performance.now(),
    begun_ms: performance.now(),
  }
  const parts: ConsumptionParts = {
    ...options,
    wanted: new Set(),
    stopping: new AbortController(),
    state,
  }
  const { wanted, stopping } = parts
  const looking = setInterval(() => renewIfSilent(parts), look_ms).unref()
  stopping.signal.addEventListener('abort', () => clearInterval(looking), { once: true })
  return {
    add(topics) {
      if (wanted.size === 0) state.received_ms = performance.now()
      for (const topic of topics) wanted.add(topic)
      if (!isAsWanted(parts)) void follow(parts, gather_ms)
    },
    async remove(topics) {
      for (const topic of topics) wanted.delete(topic)
      if (state.running !== undefined) state.running.isStale = true
      if (wanted.size > 0) return void follow(parts, linger_ms)
      state.gathering.abort()
      await settled(parts, follow(parts, 0))
    },
    get consumer() {
      return state.running?.consumer
    },
    get isJoined() {
      return state.isJoined && isAsWanted(parts)
    },
    silent_ms: () => (wanted.size === 0 ? 0 : performance.now() - state.received_ms),
    async stop() {
      wanted.clear()
      state.gathering.abort()
      if (state.changing !== undefined) await settled(parts, state.changing)
      await leave(parts)
      stopping.abort()
    },
    async crash() {
      stopping.abort()
      await state.running?.consumer.disconnect().catch(() => undefined)
    },
  }
}

function isAsWanted({ wanted, state: { running } }: ConsumptionParts): boolean {
  if (running === undefined) return wanted.size === 0
  const { topics, isStale } = running
  return !isStale && wanted.size === topics.size && [...wanted].every((one) => topics.has(one))
}

function isStopped({ stopping }: ConsumptionParts): boolean {
  return stopping.signal.aborted
}

function renewIfSilent(parts: ConsumptionParts): void {
  const { wanted, state, session_ms, log } = parts
  const { running } = state
  if (wanted.size === 0 || running === undefined || running.isStale) return
  const silent_ms = performance.now() - Math.max(state.received_ms, state.begun_ms)
  if (silent_ms < Math.max(silence_ms_max, 2 * session_ms)) return
  log.warn(
    { silent_ms: Math.round(silent_ms) },
    'the consumer receives nothing: another one is started',
  )
  running.isStale = true
  running.brokers.close()
  running.givenUp.abort()
  void follow(parts, 0)
}

/** Makes one change after the other, each to the topics required by then. */
function follow(parts: ConsumptionParts, gather_ms_max: number): Promise<void> {
  const { state } = parts
  state.changing ??= change(parts, gather_ms_max).finally(() => {
    state.changing = undefined
    state.gathering = new AbortController()
    if (!isAsWanted(parts) && !isStopped(parts)) void follow(parts, 0)
  })
  return state.changing
}

async function change(parts: ConsumptionParts, gather_ms_max: number): Promise<void> {
  await pause(gather_ms_max, parts.state.gathering.signal)
  while (!isAsWanted(parts) && !isStopped(parts)) {
    await leave(parts)
    if (parts.wanted.size > 0 && !isStopped(parts)) await begin(parts)
  }
}

/** Does not wait for a consumer that starts while Kafka is away. */
async function settled({ log }: ConsumptionParts, changed: Promise<void>): Promise<void> {
  const waiting = within(changed, leave_ms_max, 'the consumer was not changed')
  await waiting.catch((error: unknown) => {
    log.warn({ err: error }, 'Kafka is away while the consumer changes')
  })
}

async function begin(parts: ConsumptionParts): Promise<void> {
  const { state, log, onBegun, stopping } = parts
  const brokers = parts.brokers.branch()
  const consumer = newConsumer(parts, brokers)
  const topics = new Set(parts.wanted)
  const current: Running = {
    consumer,
    brokers,
    topics,
    isStale: false,
    givenUp: new AbortController(),
  }
  state.running = current
  state.begun_ms = performance.now()
  listen(parts, current)
  onBegun()
  try {
    await Promise.race([run(parts, current), aborted(current.givenUp.signal)])
  } catch (error) {
    if (isStopped(parts)) return
    log.warn({ err: error }, 'the consumer did not start')
    current.isStale = true
  }
  if (current.isStale) await pause(begin_again_ms, stopping.signal)
}

/** Resolves when it reads its partitions, or has ended. */
async function run(parts: ConsumptionParts, current: Running): Promise<void> {
  const { state, begins, take } = parts
  const { consumer, topics } = current
  await consumer.connect()
  await consumer.subscribe({ topics: [...topics], fromBeginning: begins === 'oldest' })
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    eachBatch: (payload) => {
      if (state.running === current && !isStopped(parts)) {
        state.received_ms = performance.now()
        take(payload)
      }
      return Promise.resolve()
    },
  })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
}

function listen(parts: ConsumptionParts, current: Running): void {
  const { state, log, onJoined, onLeaving, onBegun } = parts
  const { consumer } = current
  const { GROUP_JOIN, REBALANCING, FETCH, CRASH } = consumer.events
  const isCurrent = () => state.running === current
  consumer.on(FETCH, () => {
    if (isCurrent()) state.received_ms = performance.now()
  })
  consumer.on(GROUP_JOIN, ({ payload }) => {
    if (!isCurrent()) return
    state.received_ms = performance.now()
    onJoined(payload.memberAssignment, consumer)
    state.isJoined = true
    log.info({ assignment: payload.memberAssignment }, 'reads its partitions of the group')
  })
  consumer.on(REBALANCING, () => {
    if (isCurrent()) void onLeaving()
  })
  consumer.on(CRASH, ({ payload }: ConsumerCrashEvent) => {
    if (!isCurrent()) return
    onBegun()
    if (isStopped(parts)) return
    log.warn({ err: payload.error }, 'the consumer ended')
    current.isStale = true
    void follow(parts, begin_again_ms)
  })
}

async function leave(parts: ConsumptionParts): Promise<void> {
  const { state, log, onLeaving } = parts
  const left = state.running
  if (left === undefined) return
  await onLeaving()
  state.isJoined = false
  state.running = undefined
  const leaving = within(left.consumer.disconnect(), leave_ms_max, 'the group was not left')
  await leaving.catch((error: unknown) => log.warn({ err: error }, 'the group will notice'))
  left.brokers.close()
}

function newConsumer(
  { groupId, session_ms, fetchWait_ms }: ConsumptionOptions,
  brokers: Brokers,
): Consumer {
  return brokers.client().consumer({
    groupId,
    partitionAssigners: [bySubscription],
    sessionTimeout: session_ms,
    heartbeatInterval: Math.min(1_000, Math.floor(session_ms / 6)),
    rebalanceTimeout: session_ms,
    maxWaitTimeInMs: fetchWait_ms,
    minBytes: 1,
    maxBytesPerPartition: partition_bytes_max,
    allowAutoTopicCreation: false,
    retry: brokers.retry,
  })
}
