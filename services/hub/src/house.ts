/**
 * Every service in one process on embedded engines. The services are the same that run alone; what
 * is started here, and in which order, is all that this process adds.
 */
import * as accountLookup from '@causeway/account-lookup'
import * as admin from '@causeway/admin'
import * as audit from '@causeway/audit'
import * as authService from '@causeway/auth-service'
import * as fspiopApi from '@causeway/fspiop-api'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import * as quoting from '@causeway/quoting'
import {
  openEmbedded,
  serveOperations,
  watch,
  type Logger,
  type ProcessParts,
  type Service,
} from '@causeway/runtime'
import * as scheduler from '@causeway/scheduler'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { openSecrets, type Secrets } from './secrets.ts'
import type { HubSettings } from './settings.ts'

export interface Hub extends Service {
  readonly urls: { readonly fsp: string; readonly operator: string; readonly metrics: string }
  /** A sentence about what a 202 survives. */
  readonly durability: string
  readonly secrets: Secrets
}

interface Stoppable {
  stop(): Promise<void> | void
}

/** Notes a part that is to be stopped later. */
export type Keep = <Part extends Stoppable>(part: Part) => Part

/** What a supervisor sees when the hub ended itself: start it again. */
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
  const keep: Keep = (part) => {
    opened.push(part)
    return part
  }
  try {
    const secrets = await openSecrets(settings, { fresh })
    const urls = await startServices(secrets.settings, parts, keep)
    const operations = keep(
      await serveOperations({ ...parts, host: '127.0.0.1', port: settings.METRICS_PORT, log }),
    )
    const stalled_ms = settings.WATCHDOG_MS
    parts.health.live('event bus', () => {
      const without_ms = parts.progress() ?? 0
      return without_ms < stalled_ms ? undefined : `no progress for ${without_ms} ms`
    })
    keep(
      watch(() => parts.progress(), {
        stalled_ms,
        onStalled: (ms) =>
          end(`No event was worked off for ${ms} ms though there is work; ending.`),
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
  fsync: 'What it acknowledges survives a killed process and a loss of power (fsync).',
  none: 'NOTHING IS DURABLE (DURABILITY=none): a loss of power loses payments.',
}

/** Those that others ask come first; the two edges, which let work in, come last. */
export async function startServices(
  settings: HubSettings,
  parts: ProcessParts,
  keep: Keep,
): Promise<{ readonly fsp: string; readonly operator: string }> {
  keep(await audit.start(settings, parts))
  keep(await participantLifecycle.start(settings, parts))
  keep(await authService.start(settings, parts))
  keep(await scheduler.start(settings, parts))
  keep(await settlements.start(settings, parts))
  keep(await accountLookup.start(settings, parts))
  keep(await quoting.start(settings, parts))
  keep(await transfers.start(settings, parts))
  keep(await notifications.start(settings, parts))
  const fspApi = keep(await fspiopApi.start(settings, parts))
  const operatorApi = keep(await admin.start(settings, parts))
  return { fsp: fspApi.url, operator: operatorApi.url }
}

/** In reverse: the edges first, so that nothing new comes in while the rest finishes its work. */
async function stopAll(opened: readonly Stoppable[], log: Logger): Promise<void> {
  for (const part of [...opened].reverse()) {
    try {
      await part.stop()
    } catch (error) {
      log.error({ err: error }, 'a part did not stop in order')
    }
  }
}
