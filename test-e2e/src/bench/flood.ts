/**
 * One FSP asks for parties that do not exist, as fast as its requests are answered. It has a process of
 * its own, so that it does not slow the FSPs whose payments are measured.
 */
import { constants, setPriority } from 'node:os'
import type { HubLinkOptions } from './connections.ts'
import { flood_s } from './disturbances.ts'
import { forkChild } from './fsp-process.ts'

export type FloodCommand =
  | { readonly type: 'OPEN'; readonly link: HubLinkOptions; readonly fsp: number }
  | { readonly type: 'BEGIN' }
  | { readonly type: 'PAUSE' }

export type FloodReport =
  | { readonly type: 'OPENED' | 'BEGUN' }
  | ({ readonly type: 'PAUSED' } & FloodCounts)
  | { readonly type: 'BROKEN'; readonly why: string }

/** Requests of the flood. */
export interface FloodCounts {
  readonly accepted: number
  readonly refused: number
}

export interface Flood {
  /** Floods the hub, pauses, and begins again, until `stop`. */
  begin(): void
  /** What was sent from the first begin on. */
  stop(): Promise<FloodCounts>
}

/** Its connections are open before the flood begins. */
export async function openFlood(
  link: HubLinkOptions,
  fsp: number,
  onFault: (error: unknown) => void,
): Promise<Flood> {
  const child = forkChild<FloodCommand, FloodReport>(new URL('./flooder.js', import.meta.url), [])
  // It stands for another machine, so the hub and the payments have the cores first.
  setPriority(child.pid, constants.priority.PRIORITY_LOW)
  await child.ask({ type: 'OPEN', link, fsp }, 'OPENED')
  let next: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  const order = (at: number) => {
    const command = at % 2 === 0 ? child.ask({ type: 'BEGIN' }, 'BEGUN') : pause()
    last = command.catch(onFault)
    next = setTimeout(() => order(at + 1), flood_s * 1_000)
  }
  const pause = () => child.ask({ type: 'PAUSE' }, 'PAUSED')
  return {
    begin: () => order(0),
    async stop() {
      clearTimeout(next)
      await last
      const { accepted, refused } = await pause()
      await child.end()
      return { accepted, refused }
    },
  }
}
