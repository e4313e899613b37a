/** Processes of their own for FSPs: commands and their answers, as both sides see them. */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** A command that cannot be carried out is answered with it. */
interface Broken {
  readonly type: 'BROKEN'
  readonly why: string
}

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

/** @param file a program that calls `obeyCommands` */
export function forkChild<C extends object, R extends { readonly type: string }>(
  file: URL,
): Child<C, R> {
  const child = fork(fileURLToPath(file), {
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
        const stopListening = () => child.off('message', listen).off('exit', onExit)
        const fail = (why: string) => {
          stopListening()
          reject(new Error(why))
        }
        const onExit = () => fail('the process of the FSPs ended')
        const listen = (report: R | Broken) => {
          if (report.type === answer) {
            stopListening()
            resolve(report as Extract<R, { readonly type: typeof answer }>)
          } else if (isBroken(report)) fail(report.why)
          else onMeanwhile?.(report)
        }
        child.on('message', listen).on('exit', onExit)
        child.send(command)
      }),
    end() {
      if (child.connected) child.disconnect()
      return gone
    },
  }
}

function isBroken(report: { readonly type: string }): report is Broken {
  return report.type === 'BROKEN'
}

/** In the child: resolves each command with its answer, until the parent disconnects. */
export function obeyCommands<C, R>(obey: (command: C) => Promise<R>): void {
  process.on('message', (command: C) => {
    obey(command).then(reportBack, (error: unknown) => {
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
      reportBack({ type: 'BROKEN', why } satisfies Broken)
    })
  })
  process.on('disconnect', () => process.exit(0))
}

/** In the child. */
export function reportBack(report: unknown): void {
  process.send?.(report)
}
