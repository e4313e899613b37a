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
      const results = await Promise.all(open.map(({ type, id }) => fsp.associate({ type, id })))
      if (signal.aborted) return
      open = open.filter((_customer, index) => results[index]?.state !== 'DONE')
      if (open.length === 0) return
      log.debug({ results }, 'the hub does not take the customers yet')
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
