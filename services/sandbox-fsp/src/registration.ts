/** Tells the hub which customers are the FSP's own, again and again until the hub has taken them all. */
import type { Fsp, NamedParty } from '@causeway/fsp'
import type { Logger } from '@causeway/runtime'
import { setTimeout as pause } from 'node:timers/promises'

export interface Registration {
  /** Whether the hub knows all of them. */
  isDone(): boolean
  stop(): void
}

const pause_ms_min = 50
const pause_ms_max = 1_000
/** So many are told at once: no FSP may keep the hub from the others. */
const atOnce_max = 50

export function register(
  fsp: Pick<Fsp, 'associate'>,
  customers: readonly NamedParty[],
  log: Logger,
): Registration {
  const stopping = new AbortController()
  const { signal } = stopping
  let open = [...customers]

  async function tell(): Promise<void> {
    for (let pause_ms = pause_ms_min; ; pause_ms = Math.min(2 * pause_ms, pause_ms_max)) {
      const results = await inTurns(open, ({ type, id }) => fsp.associate({ type, id }))
      if (signal.aborted) return
      const untold = results.filter(({ state }) => state !== 'DONE')
      open = open.filter((_customer, index) => results[index]?.state !== 'DONE')
      if (open.length === 0) return
      log.debug({ untold }, 'the hub does not take the customers yet')
      await pause(pause_ms, undefined, { signal })
    }
  }

  tell().then(
    () => log.info({ customers: customers.length }, 'the hub knows the customers'),
    (error: unknown) => {
      if (!signal.aborted) log.error({ err: error }, 'the customers cannot be told to the hub')
    },
  )
  return { isDone: () => open.length === 0, stop: () => stopping.abort() }
}

/** The results in the order of the items, of which so many are under way. */
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
