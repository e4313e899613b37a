/**
 * Detects FSPs that flood the hub: an FSP that suddenly sends several times as many requests as all others
 * together, and as the hub recently accepted from all FSPs, without waiting for the answers. The flood
 * ends when none of its requests has been held or refused for a second. An FSP that merely sends more
 * than the hub can process does not flood; `fair-shares.ts` limits it.
 *
 * A client that repeats a request as soon as it is refused keeps the hub busy with refusals. So the hub
 * pauses reading from the connections of a flooding FSP, longer the more of its requests are refused.
 */
import { freshness, steadiness } from './fair-shares.ts'

export interface Floods {
  /**
   * The FSP sent a request other than an answer (PUT). `inProgress` of its requests have no answer yet,
   * this one included.
   */
  countRequest(fspId: string, inProgress: number): void
  /** A request of the FSP that was counted has to wait for its turn. */
  countHeld(fspId: string): void
  /** A request of the FSP that was counted is refused because of a bound. */
  countRefused(fspId: string): void
  has(fspId: string): boolean
  /** The number of FSPs that flood. */
  count(): number
  /** The highest rate of requests of an FSP that does not flood, per second. */
  largestOther(): number
  /** The recent rate of the FSP's requests, per second. */
  rateOf(fspId: string): number
  /** Whether another FSP sent requests recently. */
  isAlone(fspId: string): boolean
  /** How long a connection of the FSP is not read, in milliseconds; 0 if the FSP does not flood. */
  pause_ms(fspId: string): number
}

interface Sender {
  /** In the current interval. */
  requests: number
  refused: number
  held: number
  /** The largest number of requests without an answer at the same time. */
  inProgress: number
  /** Per second, over the last intervals. */
  requestRate: number
  refusedRate: number
  /** Requests per second, over some seconds. */
  usualRate: number
  /** The last interval in which a request was held or refused, or the start of the flood; undefined: it does not flood. */
  flooded_ms: number | undefined
}

/** How many times as much as all others. */
const times = 3
/**
 * How many times as much, compared with all others, as usual: an FSP that makes three of four payments does
 * not flood when all FSPs suddenly pay more.
 */
const times_usual = 3
/** Per second: an FSP below this rate does not flood. */
const rate_min = 100
/** Nor does one with fewer requests in an interval; above, every fourth request is judged at once. */
const burst = 32
/**
 * Nor does one that waits for its answers: fewer requests than this are without an answer or refused.
 * A batch of payments that a few connections send one after the other is no flood.
 */
const unanswered_min = 16
const judged_every = 4
/** A flood ends when nothing was refused for this long. */
const calm_ms = 1_000
const forgotten_below = 0.01
/** Per second: an FSP with fewer requests is not affected by those of another one. */
const alone_below = 0.5
/** For each refusal per second. */
const pause_ms_each = 4
const pause_ms_max = 1_000

const interval_ms = 100

export function openFloods(now_ms: () => number): Floods {
  const fsps = new Map<string, Sender>()
  let usual = 0
  let begun_ms = now_ms()

  function update(): void {
    const passed_ms = now_ms() - begun_ms
    // A clock that was set back also ends the interval.
    if (passed_ms >= 0 && passed_ms < interval_ms) return
    begun_ms += passed_ms
    const length_ms = Math.max(passed_ms, interval_ms)
    let accepted = 0
    for (const sender of fsps.values()) {
      accepted += sender.requests - sender.refused
      endRates(sender, length_ms)
    }
    judge((sender) => sender.requestRate)
    for (const [fspId, sender] of fsps) {
      endInterval(sender, begun_ms)
      if (sender.requestRate < forgotten_below) fsps.delete(fspId)
    }
    usual += steadiness(length_ms) * ((accepted * 1_000) / length_ms - usual)
  }

  /** Several FSPs may flood at once: each is compared with those that do not. */
  function judge(rateOf: (sender: Sender) => number): void {
    let others = 0
    let usualOthers = 0
    for (const sender of [...fsps.values()].sort((a, b) => rateOf(a) - rateOf(b))) {
      const rate = rateOf(sender)
      if (floods(sender, { rate, usual, others, usualOthers })) sender.flooded_ms ??= begun_ms
      if (sender.flooded_ms !== undefined) continue
      others += rate
      usualOthers += sender.usualRate
    }
  }

  return {
    countRequest(fspId, inProgress) {
      update()
      const sender = fsps.get(fspId) ?? newSender()
      fsps.set(fspId, sender)
      sender.requests += 1
      sender.inProgress = Math.max(sender.inProgress, inProgress)
      if (sender.flooded_ms !== undefined) return
      if (sender.requests >= burst && sender.requests % judged_every === 0) {
        judge(rateAtOnce)
      }
    },
    countHeld(fspId) {
      const sender = fsps.get(fspId)
      if (sender !== undefined) sender.held += 1
    },
    countRefused(fspId) {
      const sender = fsps.get(fspId)
      if (sender !== undefined) sender.refused += 1
    },
    has: (fspId) => fsps.get(fspId)?.flooded_ms !== undefined,
    count: () => [...fsps.values()].filter(({ flooded_ms }) => flooded_ms !== undefined).length,
    rateOf: (fspId) => fsps.get(fspId)?.requestRate ?? 0,
    isAlone: (fspId) => isAlone(fsps, fspId),
    largestOther() {
      const others = [...fsps.values()].filter(({ flooded_ms }) => flooded_ms === undefined)
      return Math.max(0, ...others.map(({ requestRate }) => requestRate))
    },
    pause_ms: (fspId) => pauseOf(fsps.get(fspId)),
  }
}

/** Requests per second: of the FSP, usually accepted from all, and of all others, now and usually. */
interface Compared {
  readonly rate: number
  readonly usual: number
  readonly others: number
  readonly usualOthers: number
}

function floods(sender: Sender, { rate, usual, others, usualOthers }: Compared): boolean {
  // An FSP that is alone takes nothing from others.
  const isLarge = others > 0 && rate >= rate_min && rate > times * Math.max(others, usual)
  const isSudden = rate * usualOthers > times_usual * sender.usualRate * others
  const unanswered = sender.inProgress + sender.held + sender.refused
  return isLarge && isSudden && unanswered >= unanswered_min
}

/** As if no further request arrived before the interval ends. */
function rateAtOnce({ requestRate, requests }: Sender): number {
  return Math.max(requestRate, (requests * 1_000) / interval_ms)
}

function isAlone(fsps: ReadonlyMap<string, Sender>, fspId: string): boolean {
  for (const [other, { requestRate }] of fsps) {
    if (other !== fspId && requestRate >= alone_below) return false
  }
  return true
}

function pauseOf(sender: Sender | undefined): number {
  if (sender?.flooded_ms === undefined) return 0
  // A flood that has just begun shows only in the current interval.
  const { refused, refusedRate } = sender
  const rate = Math.max(refusedRate, averaged(refusedRate, refused, interval_ms))
  return Math.min(pause_ms_each * rate, pause_ms_max)
}

function newSender(): Sender {
  return {
    requests: 0,
    refused: 0,
    held: 0,
    inProgress: 0,
    requestRate: 0,
    refusedRate: 0,
    usualRate: 0,
    flooded_ms: undefined,
  }
}

function endRates(sender: Sender, length_ms: number): void {
  sender.usualRate +=
    steadiness(length_ms) * ((sender.requests * 1_000) / length_ms - sender.usualRate)
  sender.requestRate = averaged(sender.requestRate, sender.requests, length_ms)
  sender.refusedRate = averaged(sender.refusedRate, sender.refused, length_ms)
}

function endInterval(sender: Sender, ended_ms: number): void {
  const { refused, held, flooded_ms } = sender
  sender.requests = 0
  sender.refused = 0
  sender.held = 0
  sender.inProgress = 0
  if (flooded_ms === undefined) return
  if (refused + held > 0) sender.flooded_ms = ended_ms
  else if (Math.abs(ended_ms - flooded_ms) >= calm_ms) sender.flooded_ms = undefined
}

/** The average rate per second after one more interval. */
function averaged(rate: number, count: number, length_ms: number): number {
  return rate + freshness(length_ms) * ((count * 1_000) / length_ms - rate)
}
