/**
 * The life of a process: it starts or reports why it cannot, runs until it is stopped, and ends after an
 * unexpected error, because a supervisor can restart it.
 */
import { describeSettings } from './settings/describe-settings.ts'
import { letHeapGrow } from './heap-growth.ts'
import { logLevels, openLog, type Logger } from './log.ts'
import { isOutage } from './outage.ts'
import { readSettings } from './settings/read-settings.ts'
import { choice, type SettingDefinitions, type SettingValues } from './settings/settings.ts'
import { StartError } from './start-error.ts'

/** What runs in a process until it is stopped. */
export interface Service {
  /** Takes no new work, finishes what is in flight, closes everything that it opened. */
  stop(): Promise<void>
}

/** The part of Node's `process` that is used here. */
export interface HostProcess {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (cause: unknown) => void): unknown
  exit(code: number): void
}

export const exitCodes = {
  stopped: 0,
  /** The start was refused, or the stop took too long or was interrupted. */
  failed: 1,
  /** An unexpected error: the state of the process is unknown. */
  broken: 70,
} as const

export interface SuperviseOptions {
  /** How long a stop may take (10,000). */
  readonly stop_ms_max?: number
}

/** Settings of every process, in addition to its own. */
export const settingsOfProcess = {
  LOG_LEVEL: choice({
    about: 'the least level that is logged',
    options: logLevels,
    default: 'info',
  }),
}

/**
 * The main function of a process with one service: settings come from the environment, with
 * `--print-settings` they are printed instead of starting. `name` is the folder name of the
 * service.
 */
export async function run<Definitions extends SettingDefinitions>(
  name: string,
  settings: Definitions,
  start: (settings: SettingValues<Definitions>, log: Logger) => Promise<Service>,
  host: HostProcess = process,
): Promise<void> {
  try {
    const all = { ...settings, ...settingsOfProcess }
    const reading = readSettings(all, {
      sources: [{ origin: 'environment', values: host.env }],
      prefixes: [`${name.toUpperCase().replaceAll('-', '_')}_`],
    })
    if (host.argv.includes('--print-settings')) {
      host.stdout.write(`${describeSettings(all, reading)}\n`)
      return
    }
    const { values } = reading
    const log = openLog({ name, level: values.LOG_LEVEL })
    await supervise(() => start(values, log), log, host)
  } catch (error) {
    exitWithError(error, host)
  }
}

/**
 * Starts a service and supervises it: SIGINT and SIGTERM stop it within ten seconds, a second one
 * ends the process at once, and so does an uncaught error, with exit code 70. Resolves when the
 * service has started; rejects with what its start threw.
 */
export async function supervise(
  start: () => Promise<Service>,
  log: Logger,
  host: HostProcess = process,
  { stop_ms_max = 10_000 }: SuperviseOptions = {},
): Promise<void> {
  letHeapGrow()
  const broken = (cause: unknown) => {
    log.fatal({ err: cause }, 'ended by an uncaught error')
    host.exit(exitCodes.broken)
  }
  host.on('uncaughtException', broken)
  host.on('unhandledRejection', broken)

  const starting = start()
  let stopping = false
  const stopOnce = (signal: string) => {
    if (stopping) {
      host.exit(exitCodes.failed)
      return
    }
    stopping = true
    log.info({ signal }, 'stopping')
    void stopAndExit(starting, log, host, stop_ms_max)
  }
  host.on('SIGINT', () => stopOnce('SIGINT'))
  host.on('SIGTERM', () => stopOnce('SIGTERM'))
  await starting
}

/** A service that is still starting is stopped when it has started. */
async function stopAndExit(
  starting: Promise<Service>,
  log: Logger,
  host: HostProcess,
  stop_ms_max: number,
): Promise<void> {
  const late = setTimeout(() => {
    log.fatal(`not stopped within ${stop_ms_max} ms`)
    host.exit(exitCodes.failed)
  }, stop_ms_max)
  let code: number = exitCodes.stopped
  try {
    await (await starting).stop()
  } catch (error) {
    log.error({ err: error }, 'the stop failed')
    code = exitCodes.failed
  }
  clearTimeout(late)
  host.exit(code)
}

/**
 * Ends a start that failed. It prints the sentence of a StartError or the dependency that failed
 * meanwhile; a bug is printed with its stack and those of its causes.
 */
export function exitWithError(error: unknown, host: HostProcess = process): void {
  if (error instanceof StartError) {
    host.stderr.write(`${error.message}\n`)
    host.exit(exitCodes.failed)
    return
  }
  if (isOutage(error)) {
    const { message } = error as Error
    host.stderr.write(`What it needs went away while it started (${message}): start it again.\n`)
    host.exit(exitCodes.failed)
    return
  }
  host.stderr.write(`${traceOf(error)}\n`)
  host.exit(exitCodes.broken)
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.stack ?? error.message
  return error.cause === undefined ? own : `${own}\ncaused by: ${traceOf(error.cause)}`
}
