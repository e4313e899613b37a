/** Starts a flood in a process of its own, and reports how the hub answers it. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Flood, FloodReport } from './flooder.ts'

export interface Flooding {
  /** Resolves once it has received as many answers of any kind. */
  answered(times: number): Promise<void>
  /** The answers so far, and how long it has run. */
  stop(): Promise<FloodReport & { readonly s: number }>
}

export function beginFlood(flood: Flood): Flooding {
  const child = fork(fileURLToPath(new URL('../../dist/parties/flooder.js', import.meta.url)))
  const begun_ms = performance.now()
  let answers = 0
  const waiting = new Set<() => void>()
  const report = new Promise<FloodReport>((resolve, reject) => {
    child.on('message', (message: FloodReport | { readonly answered: number }) => {
      if ('statuses' in message) {
        resolve(message)
        return
      }
      answers = message.answered
      for (const look of waiting) look()
    })
    child.on('exit', () => reject(new Error('the flood ended by itself')))
  })
  child.send(flood)
  return {
    answered: (times) =>
      new Promise((resolve) => {
        const look = () => {
          if (answers < times) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    async stop() {
      child.send('stop')
      const { statuses } = await report
      return { statuses, s: (performance.now() - begun_ms) / 1_000 }
    },
  }
}
