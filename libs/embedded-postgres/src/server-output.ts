/**
 * The output of the embedded PostgreSQL: buffered while it starts, and written to the log of the
 * process.
 */
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Logger } from '@causeway/process'

export interface ServerOutput {
  /** The last lines, for the reason why a start failed. */
  text(): string
  /** Whether the process could not even be started. */
  failed(): boolean
  /** Resolves when the process has ended and all its output was read. */
  readonly closed: Promise<void>
}

const lines_max = 50

/** The rest of its levels are of no use to an operator. */
const levels = [
  [/^PANIC:/, 'error'],
  [/^WARNING:/, 'warn'],
] as const

export function logLines(server: ChildProcess, log: Logger): ServerOutput {
  const lines: string[] = []
  let failed = false
  const keep = (line: string) => {
    lines.push(line)
    if (lines.length > lines_max) lines.shift()
  }
  if (server.stderr !== null) {
    createInterface({ input: server.stderr }).on('line', (line) => {
      keep(line)
      const level = levels.find(([pattern]) => pattern.test(line))?.[1] ?? 'debug'
      log[level]({ postgres: line }, 'PostgreSQL output')
    })
  }
  const closed = new Promise<void>((resolve) => {
    server.once('close', () => resolve())
    server.once('error', (error) => {
      failed = true
      keep(error.message)
      resolve()
    })
  })
  return { text: () => lines.join('\n'), failed: () => failed, closed }
}
