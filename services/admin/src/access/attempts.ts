/**
 * Slows down guessing: after some failed log-ins from an address, or for a name from an address, the
 * next one waits, longer each time. The owner of the name at another address is not delayed, and what
 * waits from one address does not take the room of others. What is under way counts as failed until it has
 * ended, so that a burst gets no further than as many log-ins one after the other.
 */
import { setTimeout as pause } from 'node:timers/promises'

export interface Attempts {
  /** Resolves when the log-in may be tried; false: too many wait already, of this address or of all. */
  readonly admit: (by: Caller) => Promise<boolean>
  /** After each log-in that was admitted, whatever its end. */
  readonly ended: (by: Caller) => void
  readonly failed: (by: Caller) => void
  readonly succeeded: (by: Caller) => void
}

interface Caller {
  readonly address: string
  /** Empty where the request of the log-in has no name. */
  readonly name: string
}

interface Count {
  readonly since_ms: number
  readonly failures: number
}

const window_ms = 60_000
const counts_max = 10_000
const waiting_max = 100
const waiting_of_address_max = 5
const free_of_name = 3
const free_of_address = 60
const delay_first_ms = 250
const delay_max_ms = 4_000

/** How long the next attempt waits after so many failures within a minute, of which some are free. */
export function delayOf(failures: number, free: number): number {
  if (failures < free) return 0
  return Math.min(delay_max_ms, delay_first_ms * 2 ** Math.min(failures - free, 10))
}

/** @param wait resolves after so many milliseconds */
export function openAttempts(
  wait: (ms: number) => Promise<unknown> = (ms) => pause(ms),
  now_ms: () => number = () => Date.now(),
): Attempts {
  const counts = new Map<string, Count>()
  /** By the keys of those that are admitted and not ended. */
  const underWay = openTally()
  let waiting = 0
  const waitingOf = openTally()

  async function pauseOf(address: string, delay_ms: number): Promise<boolean> {
    if (waiting >= waiting_max || waitingOf.of(address) >= waiting_of_address_max) return false
    waiting += 1
    waitingOf.add(address, 1)
    try {
      await wait(delay_ms)
      return true
    } finally {
      waiting -= 1
      waitingOf.add(address, -1)
    }
  }

  function countOf(key: string): Count {
    const count = counts.get(key)
    const isOver = count === undefined || now_ms() - count.since_ms >= window_ms
    return isOver ? { since_ms: now_ms(), failures: 0 } : count
  }

  function add(key: string): void {
    const { since_ms, failures } = countOf(key)
    counts.delete(key)
    counts.set(key, { since_ms, failures: failures + 1 })
    const [oldest] = counts.keys()
    if (counts.size > counts_max && oldest !== undefined) counts.delete(oldest)
  }

  function end(by: Caller): void {
    for (const { key } of keysOf(by)) underWay.add(key, -1)
  }

  return {
    async admit(by) {
      const delays = keysOf(by).map(({ key, free }) =>
        delayOf(countOf(key).failures + underWay.of(key), free),
      )
      const delay_ms = Math.max(...delays)
      for (const { key } of keysOf(by)) underWay.add(key, 1)
      if (delay_ms === 0 || (await pauseOf(by.address, delay_ms))) return true
      end(by)
      return false
    },
    ended: end,
    failed(by) {
      for (const { key } of keysOf(by)) add(key)
    },
    succeeded({ address, name }) {
      counts.delete(keyOf(address, name))
    },
  }
}

/** What a log-in is counted by, and how many failures of each are free. */
function keysOf({ address, name }: Caller) {
  const ofAddress = { key: address, free: free_of_address }
  return name === '' ? [ofAddress] : [ofAddress, { key: keyOf(address, name), free: free_of_name }]
}

function keyOf(address: string, name: string): string {
  return `${address} ${name}`
}

/** How many there are of each; what there is none of takes no memory. */
function openTally() {
  const counts = new Map<string, number>()
  const of = (key: string) => counts.get(key) ?? 0
  return {
    of,
    add(key: string, change: 1 | -1) {
      const count = of(key) + change
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    },
  }
}
