/**
 * Registers the FSP's own customers at the hub, repeatedly until the hub has accepted all of them.
 * Until it has accepted one, only one is tried: a hub that does not know the FSP yet refuses all.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Fsp, NamedParty } from '@causeway/fsp'
import type { Logger } from '@causeway/process'

export interface CustomerRegistration {
  /** Whether the hub has registered all of them. */
  isDone(): boolean
  stop(): void
}

const pause_ms_min = 50
const pause_ms_max = 1_000
/** Concurrent requests: more of them make a hub that has just started refuse some. */
const atOnce_max = 12

export function register(
  fsp: Pick<Fsp, 'associate'>,
  customers: readonly NamedParty[],
  log: Logger,
): CustomerRegistration {
  const stopping = new AbortController()
  const { signal } = stopping
  let count = 0

  async function registerEach(some: readonly NamedParty[]): Promise<void> {
    let open = some
    for (let pause_ms = pause_ms_min; ; pause_ms = Math.min(2 * pause_ms, pause_ms_max)) {
      const results = await inTurns(open, ({ type, id }) => fsp.associate({ type, id }))
      if (signal.aborted) return
      const unregistered = results.filter(({ state }) => state !== 'DONE')
      count += open.length - unregistered.length
      open = open.filter((_customer, index) => results[index]?.state !== 'DONE')
      if (open.length === 0) return
      log.debug({ unregistered }, 'the hub does not accept the customers yet')
      await pause(pause_ms, undefined, { signal })
    }
  }

  async function registerAll(): Promise<void> {
    await registerEach(customers.slice(0, 1))
    if (!signal.aborted) await registerEach(customers.slice(1))
  }

  registerAll().then(
    () => log.info({ customers: customers.length }, 'the customers are registered at the hub'),
    (error: unknown) => {
      if (!signal.aborted)
        log.error({ err: error }, 'the customers cannot be registered at the hub')
    },
  )
  return { isDone: () => count === customers.length, stop: () => stopping.abort() }
}

/** Runs the work with limited concurrency; the results have the order of the items. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  const worker = async () => {
    for (const [at, item] of waiting) results[at] = await work(item)
  }
  await Promise.all(Array.from({ length: atOnce_max }, worker))
  return results
}
