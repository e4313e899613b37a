/**
 * Every service in one process on embedded engines. The services are the same as in a distributed
 * hub; this process only starts them, in the right order.
 */
import * as admin from '@causeway/admin'
import * as fspiopApi from '@causeway/fspiop-api'
import { shipLog } from '@causeway/events'
import { watch, type Logger, type Service, stopAll } from '@causeway/process'
import {
  openEmbedded,
  serveOperations,
  tracedParts,
  tracingOf,
  type ProcessParts,
} from '@causeway/runtime'
import { openSecrets, type Secrets } from './secrets.ts'
import { innerServices } from './services.ts'
import type { HubSettings } from './settings.ts'

export interface Hub extends Service {
  readonly urls: { readonly fsp: string; readonly operator: string; readonly metrics: string }
  /** A sentence on what an acknowledged message (202) survives. */
  readonly durability: string
  readonly secrets: Secrets
}

interface Stoppable {
  stop(): Promise<void> | void
}

/** Registers a started part, so that it is stopped with the hub. */
export type StopLater = <Part extends Stoppable>(part: Part) => Part

/** The exit code for a supervisor: the hub has stopped itself and must be started again. */
const exit_code_stalled = 70

export async function openHub(
  settings: HubSettings,
  log: Logger,
  { fresh }: { readonly fresh: boolean },
): Promise<Hub> {
  const end = (sentence: string) => {
    log.fatal(sentence)
    process.stderr.write(`${sentence}\n`)
    process.exit(exit_code_stalled)
  }
  const { DATA_DIR: dataDir, DURABILITY: durability, LOG_RETENTION_H: retention_h } = settings
  const parts = await openEmbedded({ dataDir, durability, retention_h, fresh, log, onExit: end })
  const opened: Stoppable[] = [parts]
  const stopLater: StopLater = (part) => {
    opened.push(part)
    return part
  }
  try {
    const secrets = await openSecrets(settings, { fresh })
    const tracing = await tracingOf(settings, log)
    if (tracing !== undefined) stopLater(tracing)
    stopLater(shipLog('audit', parts, 'hub'))
    const partsOf = (service: string) => tracedParts(parts, tracing, service)
    const urls = await startServices(secrets.settings, partsOf, stopLater)
    const operations = stopLater(
      await serveOperations({ ...parts, host: '127.0.0.1', port: settings.METRICS_PORT, log }),
    )
    const stalled_ms = settings.WATCHDOG_MS
    parts.health.live('event bus', () => {
      const without_ms = parts.progress() ?? 0
      return without_ms < stalled_ms ? undefined : `no progress for ${without_ms} ms`
    })
    stopLater(
      watch(() => parts.progress(), {
        stalled_ms,
        onStalled: (ms) =>
          end(`No event was processed for ${ms} ms though there is work; stopping.`),
      }),
    )
    return {
      urls: { ...urls, metrics: operations.url },
      durability: durabilitySentences[durability],
      secrets,
      stop: () => stopAll(opened, log),
    }
  } catch (error) {
    await stopAll(opened, log)
    throw error
  }
}

const durabilitySentences: Readonly<Record<HubSettings['DURABILITY'], string>> = {
  fsync: 'Acknowledged messages survive a killed process and a loss of power (fsync).',
  none: 'NOTHING IS DURABLE (DURABILITY=none): a loss of power loses payments.',
}

/** The two edges, which admit work, start last. */
export async function startServices(
  settings: HubSettings,
  partsOf: (service: string) => ProcessParts,
  stopLater: StopLater,
): Promise<{ readonly fsp: string; readonly operator: string }> {
  for (const [name, { start }] of Object.entries(innerServices)) {
    stopLater(await start(settings, partsOf(name)))
  }
  const fspApi = stopLater(await fspiopApi.start(settings, partsOf('fspiop-api')))
  const operatorApi = stopLater(await admin.start(settings, partsOf('admin')))
  return { fsp: fspApi.url, operator: operatorApi.url }
}
