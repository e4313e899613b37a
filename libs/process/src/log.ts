/**
 * The log of a process: one JSON object per line on stderr, so that stdout stays free for people
 * and for `--json`. Lines carry ids, never payloads.
 */
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino'

export type Logger = PinoLogger

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]

export interface LogOptions {
  /** The process: `hub`, `transfers` … */
  readonly name: string
  readonly level: LogLevel
  /** Where the lines go; stderr when left out. */
  readonly destination?: DestinationStream
}

/**
 * Opens the log. Lines are written synchronously: the last words of a process that dies are the
 * ones that matter, and nothing is logged per message at level info.
 */
export function openLog({ name, level, destination }: LogOptions): Logger {
  return pino(
    {
      name,
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? logTo(stderr),
  )
}

const stderr = 2
/** So much waits for a disk that is full; what comes then is dropped. */
const waiting_bytes_max = 2 ** 20

/**
 * A file descriptor for the lines. Where nothing can be written (the disk is full, no process reads
 * the pipe any more) lines are lost: that is no reason to end the work.
 */
export function logTo(dest: number): DestinationStream {
  const destination = pino.destination({ dest, sync: true, maxLength: waiting_bytes_max })
  destination.on('error', () => {
    // It cannot be reported anywhere.
  })
  return destination
}
