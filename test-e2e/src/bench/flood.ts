/**
 * One FSP asks for parties that do not exist, as fast as its requests are answered. It has a process of
 * its own, so that it does not slow the FSPs whose payments are measured.
 */
import { constants, setPriority } from 'node:os'
import type { HubLinkOptions } from './connections.ts'
import { forkChild } from './fsp-process.ts'

export type FloodCommand =
  | { readonly type: 'OPEN'; readonly link: HubLinkOptions; readonly fsp: number }
  | { readonly type: 'BEGIN' }
  | { readonly type: 'STOP' }

export type FloodReport =
  | { readonly type: 'OPENED' | 'BEGUN' }
  | ({ readonly type: 'STOPPED' } & FloodCounts)
  | { readonly type: 'BROKEN'; readonly why: string }

/** Requests of the flood. */
export interface FloodCounts {
  readonly accepted: number
  readonly refused: number
}

export interface Flood {
  begin(): Promise<void>
  stop(): Promise<FloodCounts>
}

/** Its connections are open before the flood begins. */
export async function openFlood(link: HubLinkOptions, fsp: number): Promise<Flood> {
  const child = forkChild<FloodCommand, FloodReport>(new URL('./flooder.js', import.meta.url), [])
  // It stands for another machine, so the hub and the payments have the cores first.
  setPriority(child.pid, constants.priority.PRIORITY_LOW)
  await child.ask({ type: 'OPEN', link, fsp }, 'OPENED')
  return {
    async begin() {
      await child.ask({ type: 'BEGIN' }, 'BEGUN')
    },
    async stop() {
      const { accepted, refused } = await child.ask({ type: 'STOP' }, 'STOPPED')
      await child.end()
      return { accepted, refused }
    },
  }
}
