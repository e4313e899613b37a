/**
 * Load shedding: refuses requests that the hub cannot process in time, which it measures as the
 * queue delay. Requests of lower priority are refused first, and within a priority those of the
 * FSPs that send most.
 */
import { openController, type Controller } from './controller.ts'
import { freshness, openFairShares, steadiness, type FairShares } from './fair-shares.ts'
import { openQueueDelay } from './queue-delay.ts'

/** The priorities of `Priority` (admission) whose requests may be shed. */
export type SheddablePriority = 'LOOKUP' | 'QUOTE' | 'TRANSFER'

export interface Shedding {
  /** An event of this name arrived; the message that caused it was received `age_ms` ago. */
  observe(name: string, age_ms: number): void
  /** A message was received whole, and waits to be stored or refused; `end` must follow. */
  begin(): void
  end(): void
  /** Whether to refuse this request of the FSP. */
  sheds(fspId: string, priority: SheddablePriority): boolean
  /** Another bound of the queue delay applies from now on; what is refused is determined again. */
  setBound(queueDelay_max_ms: number): void
  /** The recent delay of the fastest messages, in milliseconds. */
  readonly queueDelay_ms: number
}

/** Fractions of the bound: a priority is shed from the delay at which most of the lower one is. */
const boundOf: Readonly<Record<SheddablePriority, number>> = {
  LOOKUP: 0.25,
  QUOTE: 0.5,
  TRANSFER: 1,
}

const interval_ms = 100
/** A small FSP sends less than this fraction of the average, counted where it sends most. */
const small = 0.5
/** The hub stands still while it processes less than this fraction of what it has just processed. */
const still = 0.3
/** How long it then processes what has waited: until then the delay is no measure of the load. */
const after_still_ms = 700

interface Limiter {
  readonly controller: Controller
  readonly shares: FairShares
}

export function openShedding(initialBound_ms: number, now_ms: () => number): Shedding {
  const queueDelay = openQueueDelay()
  let limiters = limitersOf(initialBound_ms)
  let begun_ms = now_ms()
  let queueDelay_ms = 0
  let processed = 0
  /** Over the last intervals, and over some seconds. */
  let processedPerSecond = 0
  let processedUsually = 0
  let stood_ms = -Infinity

  function update(): void {
    const passed_ms = now_ms() - begun_ms
    // A clock that was set back also ends the interval.
    if (passed_ms >= 0 && passed_ms < interval_ms) return
    begun_ms += passed_ms
    queueDelay_ms = queueDelay.at(begun_ms)
    const length_ms = Math.max(passed_ms, interval_ms)
    const processedNow = (processed * 1_000) / length_ms
    processed = 0
    if (processedNow < still * processedPerSecond) stood_ms = begun_ms
    const stoodStill = Math.abs(begun_ms - stood_ms) < after_still_ms
    processedPerSecond += freshness(length_ms) * (processedNow - processedPerSecond)
    processedUsually += steadiness(length_ms) * (processedNow - processedUsually)
    const all = Object.values(limiters)
    for (const { controller, shares } of all) {
      const offered = shares.endInterval(length_ms)
      const measured = { length_ms, queueDelay_ms, offered, stoodStill }
      controller.update({ ...measured, processed: processedPerSecond })
    }
    const smallFsps = smallOf(all)
    // It processes of one kind as much more than usually as of all kinds.
    const growth = Math.max(processedPerSecond / (processedUsually || Infinity), 1)
    for (const { controller, shares } of all) {
      shares.setRate(controller.rate, smallFsps, shares.admitted * growth)
    }
  }

  return {
    observe(name, age_ms) {
      queueDelay.observe(name, age_ms, now_ms())
      processed += 1
    },
    begin: () => queueDelay.begin(now_ms()),
    end: () => queueDelay.end(now_ms()),
    sheds(fspId, priority) {
      update()
      return !limiters[priority].shares.admits(fspId)
    },
    setBound(queueDelay_max_ms) {
      limiters = limitersOf(queueDelay_max_ms)
    },
    get queueDelay_ms() {
      update()
      return queueDelay_ms
    },
  }
}

/**
 * The FSPs that do not cause an overload. An FSP whose lookups are refused sends few quotes; so each is
 * judged by the requests of which it sends most.
 */
function smallOf(limiters: readonly Limiter[]): ReadonlySet<string> {
  const rateOf = new Map<string, number>()
  for (const { shares } of limiters) {
    for (const [fspId, rate] of shares.rates()) {
      rateOf.set(fspId, Math.max(rate, rateOf.get(fspId) ?? 0))
    }
  }
  const average = [...rateOf.values()].reduce((sum, rate) => sum + rate, 0) / rateOf.size
  return new Set([...rateOf.keys()].filter((fspId) => (rateOf.get(fspId) ?? 0) < small * average))
}

function limitersOf(queueDelay_max_ms: number): Readonly<Record<SheddablePriority, Limiter>> {
  const limiterOf = (priority: SheddablePriority): Limiter => ({
    controller: openController(queueDelay_max_ms * boundOf[priority]),
    shares: openFairShares(),
  })
  return { LOOKUP: limiterOf('LOOKUP'), QUOTE: limiterOf('QUOTE'), TRANSFER: limiterOf('TRANSFER') }
}
