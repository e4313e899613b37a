/** The process of the FSPs as the bench sees it: commands and their answers. */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Command, Report } from './messages.ts'

export interface Child<C, R extends { readonly type: string }> {
  readonly pid: number
  /** Sends a command and resolves with its answer; other reports until then go to `onMeanwhile`. */
  ask<Type extends R['type']>(
    command: C,
    answer: Type,
    onMeanwhile?: (report: R) => void,
  ): Promise<Extract<R, { readonly type: Type }>>
  /** Resolves when the process has ended; a second call has no effect. */
  end(): Promise<void>
}

export type FspProcess = Child<Command, Report>

export function forkFsps(nodeFlags: readonly string[]): FspProcess {
  return forkChild(new URL('./fsps.js', import.meta.url), nodeFlags)
}

/** The process answers a command that it cannot carry out with `{ type: 'BROKEN', why }`. */
export function forkChild<C extends object, R extends { readonly type: string }>(
  file: URL,
  nodeFlags: readonly string[],
): Child<C, R> {
  const child = fork(fileURLToPath(file), {
    execArgv: [...process.execArgv, ...nodeFlags],
    // Signing ahead uses every core.
    env: { ...process.env, UV_THREADPOOL_SIZE: String(availableParallelism()) },
  })
  const { pid } = child
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  if (pid === undefined) throw new Error('the process of the FSPs did not start')
  return {
    pid,
    ask: (command, answer, onMeanwhile) =>
      new Promise((resolve, reject) => {
        const settle = () => child.off('message', listen).off('exit', ended)
        const ended = () => {
          settle()
          reject(new Error('the process of the FSPs ended'))
        }
        const listen = (report: R) => {
          if (report.type === answer) {
            settle()
            resolve(report as Extract<R, { readonly type: typeof answer }>)
          } else if ('why' in report) {
            settle()
            reject(new Error(String(report.why)))
          } else onMeanwhile?.(report)
        }
        child.on('message', listen).on('exit', ended)
        child.send(command)
      }),
    end() {
      if (child.connected) child.disconnect()
      return gone
    },
  }
}
