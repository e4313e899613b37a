/**
 * The log of a process: one JSON object per line on stderr, so that stdout stays free for people
 * and for `--json`. Lines contain ids, never payloads.
 */
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino'

export type Logger = PinoLogger

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type LogLevel = (typeof logLevels)[number]

export interface LogOptions {
  /** The process: `hub`, `transfers` … */
  readonly name: string
  readonly level: LogLevel
  /** Destination of the lines; stderr if omitted. */
  readonly destination?: DestinationStream
}

/**
 * Opens the log. Lines are written synchronously: the last lines of a process that crashes matter most,
 * and nothing is logged per message at level info.
 */
export function openLog({ name, level, destination }: LogOptions): Logger {
  return pino(
    {
      name,
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    noting(destination ?? logTo(stderr)),
  )
}

const noted_max = 1_000
const line_length_max = 16_384
const isNoted = /^\{"level":"(?:warn|error|fatal)"/
let noted: string[] = []
let dropped = 0

/** Also remembers lines of level warn and above, for `takeWarnings`. */
function noting(destination: DestinationStream): DestinationStream {
  return {
    write(line) {
      if (isNoted.test(line)) {
        if (noted.length < noted_max && line.length <= line_length_max) noted.push(line)
        else dropped += 1
      }
      destination.write(line)
    },
  }
}

/**
 * The lines of level warn and above that this process has logged since the last call, at most 1,000, and
 * how many were dropped because there were more, or were too long.
 */
export function takeWarnings(): { readonly lines: readonly string[]; readonly dropped: number } {
  const taken = { lines: noted, dropped }
  noted = []
  dropped = 0
  return taken
}

const stderr = 2
/** At most this much waits for a full disk; further lines are dropped. */
const waiting_bytes_max = 2 ** 20

/**
 * A file descriptor for the lines. If it cannot be written (the disk is full, the reader of the pipe has
 * ended), lines are lost: that is no reason to stop the work.
 */
export function logTo(dest: number): DestinationStream {
  const destination = pino.destination({ dest, sync: true, maxLength: waiting_bytes_max })
  destination.on('error', () => {
    // It cannot be reported anywhere.
  })
  return destination
}
