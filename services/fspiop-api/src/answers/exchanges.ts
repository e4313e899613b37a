/**
 * Remembers for some minutes which FSP has sent a request about which subject to which other one, in memory of
 * a fixed size: two Bloom filters that take turns. A request that was noted is always found. One that was
 * not noted is found by chance, more often the more requests there are, so that under any load answers are
 * relayed rather than refused. Where several edges run, each also notes the requests in Redis.
 */
import { hash } from 'node:crypto'
import { periodically, type Logger, type Periodic } from '@causeway/process'
import type { SharedMemory } from '@causeway/runtime'

/** One FSP has sent another a request about a subject, such as `transactions/{ID}`. */
export interface Exchange {
  readonly from: string
  readonly to: string
  readonly subject: string
}

export interface Exchanges {
  note(exchange: Exchange): void
  /** Whether it was noted here. */
  isNoted(exchange: Exchange): boolean
  /** Whether it was noted at any edge; UNKNOWN: what was noted some minutes ago may have been lost. */
  find(exchange: Exchange): Promise<'NOTED' | 'NOT_NOTED' | 'UNKNOWN'>
  stop(): Promise<void>
}

export interface ExchangesParts {
  readonly shared: SharedMemory
  /** For at least this long, and for at most twice as long, an exchange is remembered. */
  readonly remembered_ms: number
  readonly now_ms: () => number
  /** How often it looks whether Redis has what edges have noted. */
  readonly check_ms: number
  readonly log: Logger
}

/** With 30,000 requests in each filter one of 800,000 others is found by chance, with 300,000 one of 130. */
const bits_log2 = 22
const words = 2 ** (bits_log2 - 5)
/** The key of the time from which on Redis has all exchanges. */
const sinceKey = 'exchanges:since'

export function openExchanges(parts: ExchangesParts): Exchanges {
  const { shared, remembered_ms, now_ms } = parts
  let current = new Uint32Array(words)
  let previous = new Uint32Array(words)
  const opened_ms = now_ms()
  let turn_ms = opened_ms

  function takeTurns(): void {
    const age_ms = now_ms() - turn_ms
    if (age_ms < remembered_ms) return
    ;[previous, current] = [current, previous]
    current.fill(0)
    if (age_ms >= 2 * remembered_ms) previous.fill(0)
    turn_ms = now_ms()
  }

  function isHere(digest: Buffer): boolean {
    takeTurns()
    return isSet(current, digest) || isSet(previous, digest)
  }

  const sharing = shared.isSole ? undefined : shareSince(parts)
  return {
    note(exchange) {
      takeTurns()
      const digest = digestOf(exchange)
      set(current, digest)
      if (!shared.isSole) shared.remember(new Map([[keyOf(digest), '1']]), 2 * remembered_ms)
    },
    isNoted: (exchange) => isHere(digestOf(exchange)),
    async find(exchange) {
      const digest = digestOf(exchange)
      if (isHere(digest)) return 'NOTED'
      let since_ms = opened_ms
      if (!shared.isSole) {
        const key = keyOf(digest)
        const found = await shared.recall([key, sinceKey])
        if (found.has(key)) return 'NOTED'
        // Without an answer of Redis nothing is known.
        since_ms = Number(found.get(sinceKey) ?? NaN)
      }
      return now_ms() - since_ms >= remembered_ms ? 'NOT_NOTED' : 'UNKNOWN'
    },
    stop: () => sharing?.stop() ?? Promise.resolve(),
  }
}

/**
 * Keeps in Redis since when it has the exchanges of all edges: an edge that could not reach it, or a Redis
 * that has lost its data, begins that time again.
 */
function shareSince({ shared, remembered_ms, now_ms, check_ms, log }: ExchangesParts): Periodic {
  let isLost = false
  return periodically(
    check_ms,
    async () => {
      const since = (await shared.recall([sinceKey])).get(sinceKey)
      const value = since === undefined || isLost ? String(now_ms()) : since
      shared.remember(new Map([[sinceKey, value]]), 2 * remembered_ms)
      isLost = since === undefined
    },
    { log, name: 'exchanges that edges share' },
  )
}

function digestOf({ from, to, subject }: Exchange): Buffer {
  return hash('sha256', `${from}\n${to}\n${subject}`, 'buffer')
}

function keyOf(digest: Buffer): string {
  return `exchanges:${digest.toString('base64url', 0, 16)}`
}

/** The positions of four bits. */
const offsets = [0, 4, 8, 12] as const

function set(filter: Uint32Array, digest: Buffer): void {
  for (const offset of offsets) {
    const bit = digest.readUInt32LE(offset) >>> (32 - bits_log2)
    filter[bit >>> 5] = (filter[bit >>> 5] ?? 0) | (1 << (bit & 31))
  }
}

function isSet(filter: Uint32Array, digest: Buffer): boolean {
  return offsets.every((offset) => {
    const bit = digest.readUInt32LE(offset) >>> (32 - bits_log2)
    return ((filter[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0
  })
}
