/**
 * A value that belongs to work in progress. All that the work begins can read it, until the promise of the
 * work settles.
 *
 * Before Node.js 24 an AsyncLocalStorage that has been used takes time at each promise of the process, for
 * every payment, until it is disabled: so it is disabled whenever no work is in progress.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface WorkContext<Value> {
  run<Result>(value: Value, work: () => Promise<Result>): Promise<Result>
  /** Undefined: the caller belongs to no work. */
  current(): Value | undefined
}

export function workContext<Value>(): WorkContext<Value> {
  const storage = new AsyncLocalStorage<Value>()
  let running = 0
  return {
    async run(value, work) {
      running += 1
      try {
        return await storage.run(value, work)
      } finally {
        running -= 1
        if (running === 0) storage.disable()
      }
    },
    current: () => (running === 0 ? undefined : storage.getStore()),
  }
}
