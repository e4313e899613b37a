/** What needs much memory or time of the processor is done by few at once. */

const at_once_max = 2
const waiting_max = 32

/** Runs few tasks at once, queues some, and rejects the rest: memory is bounded under any load. */
export function limitConcurrency(): <Value>(
  work: () => Promise<Value>,
) => Promise<Value | undefined> {
  let working = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (working >= at_once_max) {
      if (waiting.length >= waiting_max) return undefined
      // A finished task passes its slot to the next one.
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
      })
    } else {
      working += 1
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) working -= 1
      else next()
    }
  }
}
