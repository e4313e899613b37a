/** Processes of a test that are killed in it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Child {
  readonly pid: number
  /** The first line that it prints. */
  readonly firstLine: Promise<string>
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>
}

/** Runs a TypeScript program beside the tests. */
export function startChild(program: URL, args: readonly string[]): Child {
  const loader = new URL('../../../tooling/src/jest/hooks.mjs', import.meta.url).href
  const child: ChildProcess = spawn(
    process.execPath,
    ['--conditions=source', '--import', loader, fileURLToPath(program), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(child, 'exit')
  const firstLine = new Promise<string>((resolve, reject) => {
    if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', resolve)
    void ended.then(() => reject(new Error('The process ended without a word')))
  })
  return {
    pid: child.pid ?? 0,
    firstLine,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
