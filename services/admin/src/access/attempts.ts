/**
 * Slows down guessing: after some failed log-ins from an address, or for a name from an address, the
 * next one waits, longer each time. The owner of the name at another address is not delayed, and what
 * waits from one address does not take the room of others. What is begun without a name counts as well, so
 * that one address cannot begin as many log-ins as may be open.
 */
import { setTimeout as pause } from 'node:timers/promises'

export interface Attempts {
  /** Resolves when the log-in may be tried; false: too many wait already, of this address or of all. */
  readonly admit: (by: Caller) => Promise<boolean>
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
  let waiting = 0
  const waitingOf = new Map<string, number>()

  async function pauseOf(address: string, delay_ms: number): Promise<boolean> {
    const ofAddress = waitingOf.get(address) ?? 0
    if (waiting >= waiting_max || ofAddress >= waiting_of_address_max) return false
    waiting += 1
    waitingOf.set(address, ofAddress + 1)
    try {
      await wait(delay_ms)
      return true
    } finally {
      waiting -= 1
      const left = (waitingOf.get(address) ?? 1) - 1
      if (left === 0) waitingOf.delete(address)
      else waitingOf.set(address, left)
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

  return {
    async admit({ address, name }) {
      const ofAddress = delayOf(countOf(address).failures, free_of_address)
      const ofName = name === '' ? 0 : delayOf(countOf(keyOf(address, name)).failures, free_of_name)
      const delay_ms = Math.max(ofAddress, ofName)
      return delay_ms === 0 ? true : pauseOf(address, delay_ms)
    },
    failed({ address, name }) {
      add(address)
      if (name !== '') add(keyOf(address, name))
    },
    succeeded({ address, name }) {
      counts.delete(keyOf(address, name))
    },
  }
}

function keyOf(address: string, name: string): string {
  return `${address} ${name}`
}
