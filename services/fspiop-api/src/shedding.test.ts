/**
 * The shedding beside a hub of which only this is modelled: one queue, through which each message goes
 * as often as services work on it; messages of a payment that follow each other; work that stands still
 * now and then, as when garbage is collected; and what refusing costs.
 */
import { expect, test } from '@jest/globals'
import { openFloods } from './floods.ts'
import { openShedding, type Shed } from './shedding.ts'

const start_ms = 1_700_000_000_000

interface Kind {
  /** What may be turned away; answers may not. */
  readonly shed: Shed | undefined
  /** The event that the edge gets when the hub is done with it. */
  readonly event: string | undefined
  /** How often it goes through the queue. */
  readonly passes: number
}

/** A payment: a lookup, a quote and a transfer, each with its answer. */
const lookup: Kind = { shed: 'HALF', event: undefined, passes: 1 }
const kinds: readonly Kind[] = [
  lookup,
  { shed: undefined, event: undefined, passes: 1 },
  { shed: 'MOST', event: 'QuoteRequestAccepted', passes: 3 },
  { shed: undefined, event: 'QuoteResponseAccepted', passes: 3 },
  { shed: 'WHOLE', event: 'TransferPrepared', passes: 5 },
  { shed: undefined, event: 'TransferCommittedFulfiled', passes: 5 },
]
const passesOfPayment = kinds.reduce((sum, { passes }) => sum + passes, 0)
const passesOfRefusal = 0.6
const fspIds = ['greenbank', ...Array.from({ length: 7 }, (_, at) => `other-${at}`)]

interface Message {
  readonly fspId: string
  readonly begun_ms: number
  /** Of `kinds`. */
  readonly at: number
  readonly kind: Kind
  in_ms: number
  passed: number
}

interface Outcome {
  /** Messages refused, by what they begin. */
  readonly refused: Record<Shed, number>
  /** By FSP. */
  readonly refusedOf: Map<string, number>
  /** Per second, of payments that were begun after the first three seconds. */
  readonly made: number
  readonly p99_ms: number
}

/** Numbers from 0 to 1, the same in each run. */
function numbers(): () => number {
  let state = 7
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Load {
  /** Payments that begin per second. */
  readonly offered: number
  /** Payments per second that the hub can make while it does not stand still. */
  readonly capacity: number
  readonly seconds: number
  /** The part of all payments that the first FSP begins besides its equal share of the others. */
  readonly hot?: number
}

function play({ offered, capacity, seconds, hot = 0 }: Load): Outcome {
  const random = numbers()
  let now_ms = start_ms
  const shedding = openShedding(
    600,
    openFloods(() => now_ms),
    () => now_ms,
  )
  const queue: Message[] = []
  let head = 0
  const due = new Map<number, Message[]>()
  const took_ms: number[] = []
  const refused = { HALF: 0, MOST: 0, WHOLE: 0 }
  const refusedOf = new Map<string, number>()
  let power = 0

  function enter(message: Message): void {
    const { shed } = message.kind
    message.in_ms = now_ms
    if (shed === undefined || !shedding.sheds(message.fspId, shed)) {
      queue.push(message)
      return
    }
    refused[shed] += 1
    refusedOf.set(message.fspId, (refusedOf.get(message.fspId) ?? 0) + 1)
    power -= passesOfRefusal
  }

  function work(message: Message): void {
    const { event, passes } = message.kind
    message.passed += 1
    if (message.passed === 1) shedding.noted('stored', now_ms - message.in_ms)
    if (message.passed < passes) {
      queue.push(message)
      return
    }
    if (event !== undefined) shedding.noted(event, now_ms - message.in_ms)
    const at = message.at + 1
    const kind = kinds[at]
    if (kind !== undefined) {
      const at_ms = now_ms + 5 + Math.floor(random() * 30)
      due.set(at_ms, [...(due.get(at_ms) ?? []), { ...message, at, kind, passed: 0 }])
    } else if (message.begun_ms >= start_ms + 3_000) took_ms.push(now_ms - message.begun_ms)
  }

  function fsp(): string {
    const at = random() < hot ? 0 : Math.floor(random() * fspIds.length)
    return fspIds[at] ?? ''
  }

  let begun = 0
  let still_ms = 0
  for (; now_ms < start_ms + seconds * 1_000; now_ms += 1) {
    for (const message of due.get(now_ms) ?? []) enter(message)
    due.delete(now_ms)
    for (begun += offered / 1_000; begun >= 1; begun -= 1) {
      enter({ fspId: fsp(), begun_ms: now_ms, at: 0, kind: lookup, in_ms: now_ms, passed: 0 })
    }
    if (random() < 0.002) still_ms = now_ms + 20 + random() * 60
    if (now_ms < still_ms) continue
    for (power += (capacity * passesOfPayment) / 1_000; power >= 1; power -= 1) {
      const next = queue[head]
      if (next === undefined) power = Math.min(power, 1)
      else {
        head += 1
        work(next)
      }
    }
  }
  took_ms.sort((a, b) => a - b)
  const p99_ms = took_ms[Math.floor(took_ms.length * 0.99)] ?? Infinity
  return { refused, refusedOf, made: took_ms.length / (seconds - 3), p99_ms }
}

/** What refusing leaves of the capacity, with a tenth of the time lost where the hub stands still. */
function possible({ offered, capacity }: Load): number {
  const passes = 0.9 * capacity * passesOfPayment - offered * passesOfRefusal
  return passes / (passesOfPayment - passesOfRefusal)
}

test.each([100, 400])(
  'beyond the %d payments per second that the hub can do it makes nine of ten, and what is let in is served within 1.5 seconds',
  (capacity) => {
    for (const times of [1, 1.2, 1.5, 2]) {
      const load = { capacity, offered: times * capacity, seconds: 20 }
      const { made, p99_ms } = play(load)
      expect(made).toBeGreaterThan(0.9 * possible(load))
      expect(p99_ms).toBeLessThan(1_500)
    }
  },
)

test('beyond what the hub can do what begins payments is refused, hardly anything that goes on with them', () => {
  const { refused } = play({ capacity: 200, offered: 400, seconds: 20 })
  expect(refused.HALF).toBeGreaterThan(3_000)
  expect(refused.MOST + refused.WHOLE).toBeLessThan(100)
})

test('while one FSP asks for more than the hub can do, hardly anything of others is refused', () => {
  const { refusedOf } = play({ capacity: 200, offered: 400, seconds: 20, hot: 0.7 })
  const ofAll = [...refusedOf.values()].reduce((sum, count) => sum + count, 0)
  expect(refusedOf.get('greenbank')).toBeGreaterThan(0.97 * ofAll)
})

test('below what the hub can do nothing is refused', () => {
  for (const part of [0.3, 0.6, 0.8]) {
    const { refused } = play({ capacity: 400, offered: part * 400, seconds: 10 })
    expect(refused).toEqual({ HALF: 0, MOST: 0, WHOLE: 0 })
  }
})

test('the longer messages take the more is refused: what asks, then quotes, then transfers', () => {
  const refusedAt = (standing_ms: number) => {
    let now_ms = start_ms
    const shedding = openShedding(
      800,
      openFloods(() => now_ms),
      () => now_ms,
    )
    const refused = { HALF: 0, MOST: 0, WHOLE: 0 }
    for (const end_ms = start_ms + 10_000; now_ms < end_ms; now_ms += 5) {
      shedding.noted('TransferPrepared', standing_ms)
      for (const shed of ['HALF', 'MOST', 'WHOLE'] as const) {
        if (shedding.sheds('greenbank', shed) && now_ms > end_ms - 500) refused[shed] += 1
      }
    }
    return refused
  }
  // A twentieth of what is worked on is let in whatever happens: five or six of a hundred here.
  const most = expect.closeTo(94.5, -0.5)
  expect(refusedAt(150)).toEqual({ HALF: 0, MOST: 0, WHOLE: 0 })
  expect(refusedAt(300)).toEqual({ HALF: most, MOST: 0, WHOLE: 0 })
  expect(refusedAt(600)).toEqual({ HALF: most, MOST: most, WHOLE: 0 })
  expect(refusedAt(1_200)).toEqual({ HALF: most, MOST: most, WHOLE: most })
})

test('after a pause everything is let in', () => {
  let now_ms = start_ms
  const shedding = openShedding(
    800,
    openFloods(() => now_ms),
    () => now_ms,
  )
  for (; now_ms < start_ms + 5_000; now_ms += 5) {
    shedding.noted('TransferPrepared', 3_000)
    shedding.sheds('greenbank', 'WHOLE')
  }
  expect(shedding.sheds('greenbank', 'WHOLE')).toBe(true)
  now_ms += 10_000
  expect(shedding.sheds('greenbank', 'WHOLE')).toBe(false)
})
