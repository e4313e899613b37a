/** The process of the FSPs as the bench sees it: a command, and what it is answered with. */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Command, Report } from './messages.ts'

export interface FspProcess {
  readonly pid: number
  /** Sends a command and waits for its answer; what comes meanwhile goes to `onMeanwhile`. */
  ask<Type extends Report['type']>(
    command: Command,
    answer: Type,
    onMeanwhile?: (report: Report) => void,
  ): Promise<Extract<Report, { type: Type }>>
  end(): void
}

export function forkFsps(): FspProcess {
  const child = fork(fileURLToPath(new URL('./fsps.js', import.meta.url)), {
    // Signing ahead shall use every core.
    env: { ...process.env, UV_THREADPOOL_SIZE: String(availableParallelism()) },
  })
  const { pid } = child
  if (pid === undefined) throw new Error('the process of the FSPs did not start')
  return {
    pid,
    ask: (command, answer, onMeanwhile) =>
      new Promise((resolve, reject) => {
        const settle = () => child.off('message', listen).off('exit', gone)
        const gone = () => {
          settle()
          reject(new Error('the process of the FSPs ended'))
        }
        const listen = (report: Report) => {
          if (report.type === answer) {
            settle()
            resolve(report as Extract<Report, { type: typeof answer }>)
          } else if (report.type === 'BROKEN') {
            settle()
            reject(new Error(report.why))
          } else onMeanwhile?.(report)
        }
        child.on('message', listen).on('exit', gone)
        child.send(command)
      }),
    end: () => child.disconnect(),
  }
}
