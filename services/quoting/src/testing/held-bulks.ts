/**
 * Steps of bulk quotes that are held before and after each call that stores or publishes something, and
 * let through one at a time; a step may die at such a call. What died is delivered again at the end.
 */
import { Crash, type Gate } from '@causeway/process/testing/gated'
import { handleBulks, type ConsumedBulkEvent } from '../bulk-quotes/handle.ts'
import { sweepBulks } from '../quotes/sweep.ts'
import type { QuotingWorld } from './world.ts'

export function holdBulks(world: QuotingWorld) {
  const held: (() => void)[] = []
  /** What has not been processed, and when it arrived. */
  const unfinished = new Map<ConsumedBulkEvent, string>()
  const failures: unknown[] = []
  let running = 0
  let onQuiet: (() => void) | undefined

  function rests(): void {
    running -= 1
    if (running === 0) onQuiet?.()
  }

  /** Until every step is held or over. */
  function quiet(): Promise<void> {
    if (running === 0) return Promise.resolve()
    return new Promise((resolve) => {
      onQuiet = resolve
    })
  }

  function holding(gates_max: number): Gate {
    let passed = 0
    return async (at) => {
      await new Promise<void>((resolve) => {
        held.push(resolve)
        rests()
      })
      if (passed++ >= gates_max) throw new Crash(at)
    }
  }

  async function toItsEnd(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Crash)) failures.push(error)
    }
    rests()
  }

  function begin(work: () => Promise<void>): Promise<void> {
    running += 1
    void toItsEnd(work)
    return quiet()
  }

  function lowWatermark(): Promise<Date> {
    const times = [...unfinished.values(), world.iso()].map((at) => Date.parse(at))
    return Promise.resolve(new Date(Math.min(...times)))
  }

  async function letThrough(choice: number): Promise<void> {
    const [go] = held.splice(choice % Math.max(held.length, 1), 1)
    if (go === undefined) return
    running += 1
    go()
    await quiet()
  }

  return {
    failures,
    letThrough,
    deliver(event: ConsumedBulkEvent, gates_max: number): Promise<void> {
      if (!unfinished.has(event)) unfinished.set(event, world.iso())
      return begin(async () => {
        await handleBulks(world.workThrough(holding(gates_max)), [event])
        unfinished.delete(event)
      })
    },
    sweep(gates_max: number): Promise<void> {
      const work = world.workThrough(holding(gates_max))
      return begin(() => sweepBulks(work, { batch_max: 1, lowWatermark }))
    },
    /** The bus delivers again what was lost, one by one; then all time runs out. */
    async finish(): Promise<void> {
      while (held.length > 0) await letThrough(0)
      for (const event of unfinished.keys()) await world.handleBulks(event)
      world.after(600_000)
      await world.sweepBulks()
    },
  }
}
