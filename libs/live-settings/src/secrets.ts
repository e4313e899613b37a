/**
 * The secrets of a service that operators set at config: the service registers their names, reads the
 * values with a request that it signs, and reads them again when they have changed. Values are in memory
 * only, and in no line of the log.
 */
import { signRequest, type OwnKey } from '@causeway/keys/components'
import { onBroadcast } from '@causeway/events'
import type { GrpcHost } from '@causeway/grpc'
import {
  Outage,
  periodically,
  retrying,
  type Logger,
  type Service,
  type SettingDefinitions,
} from '@causeway/process'
import { secretsService, type SecretSet } from '@causeway/protos'
import type { ServiceName } from '@causeway/services'
import { isLower, runTimeSecrets, secretSetMessage, type LiveValues } from './schema.ts'
import type { LiveSettingsParts } from './values.ts'

export interface SecretOptions {
  readonly service: ServiceName
  /** Of the names. */
  readonly version: string
  readonly definitions: SettingDefinitions
  readonly ownKey: OwnKey | undefined
  /** Called with what operators have set, by name, after each change. */
  readonly onValues: (values: LiveValues) => void
}

/** How often what is set is compared although no event came. */
const compared_every_ms = 60_000
const what = 'reading the secrets'

/** Resolves when the values were read, at the latest after `wait_ms`. */
export async function followSecrets(
  options: SecretOptions,
  { grpc, bus, log }: LiveSettingsParts,
  wait_ms: number,
): Promise<Service> {
  const refresh = openReading(options, grpc, log)
  const stopping = new AbortController()
  const { signal } = stopping
  let refreshing = Promise.resolve()
  /** One after the other, so that an older answer does not replace a newer one. */
  function refreshSoon(): void {
    refreshing = refreshing
      .then(() => (signal.aborted ? undefined : retrying(refresh, { log, what, signal })))
      .catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error }, 'ALARM the secrets could not be read')
      })
  }

  const group = options.service.replaceAll('-', '_')
  const listener = await onBroadcast(bus, group, ['SecretsValuesChanged'], {
    onEvents(events) {
      const isOwn = events.some(({ payload }) => payload.boundedContextId === options.service)
      if (isOwn) refreshSoon()
    },
    onMissed: refreshSoon,
  })
  refreshSoon()
  await Promise.race([refreshing, elapsed(wait_ms)])
  const comparison = periodically(
    compared_every_ms,
    () => {
      refreshSoon()
      return refreshing
    },
    { log, name: what },
  )
  return {
    async stop() {
      stopping.abort()
      await comparison.stop()
      await listener.stop()
      await refreshing
    },
  }
}

function openReading(
  { service, version, definitions, ownKey, onValues }: SecretOptions,
  grpc: GrpcHost,
  log: Logger,
): () => Promise<void> {
  const config = grpc.client(secretsService, 'config')
  const names = secretSetMessage(service, version, definitions)
  /** A newer release may have registered further names. */
  const defined = runTimeSecrets(definitions)
  const path = `/config/secrets/${service}/values`
  let isRegistered = false
  let known = nothingSet

  async function register(): Promise<void> {
    const { refusal } = await config.RegisterSecrets(names)
    isRegistered = true
    // A newer release may have registered newer names.
    if (!refusal || refusal.reason === 'VERSION_OUTDATED') return
    log.error({ reason: refusal.reason }, `ALARM secrets were not registered: ${refusal.detail}`)
  }

  /** The database of config may have been restored from before the registration. */
  async function registeredSet(): Promise<SecretSet | null | undefined> {
    if (!isRegistered) await register()
    const { secrets } = await config.GetSecrets({ boundedContextId: service })
    if (secrets && !isLower(secrets.version, version)) return secrets
    await register()
    return (await config.GetSecrets({ boundedContextId: service })).secrets
  }

  return async () => {
    const secrets = await registeredSet()
    if (!secrets || whatIsSet(secrets) === known) return
    const key = ownKey?.key
    if (key === undefined) {
      log.error('ALARM operators have set secrets, and this component has no key to read them with')
      return
    }
    const signed = signRequest(key, service, { method: 'GET', path }, new Date())
    const answer = await config.ReadSecretValues({ boundedContextId: service, ...signed })
    if (!answer.values) {
      // The registration of the key may be under way.
      throw new Outage(`config refuses: ${answer.refusal?.detail ?? 'without a reason'}`)
    }
    known = whatIsSet(secrets)
    const used = answer.values.secrets.filter(({ name }) => Object.hasOwn(defined, name))
    onValues(Object.fromEntries(used.map(({ name, value }) => [name, value])))
  }
}

const nothingSet = whatIsSet({ iterationNumber: 0, keys: [] })

/** The number of changes alone would be the same after a restore and other changes. */
function whatIsSet({ iterationNumber, keys }: Pick<SecretSet, 'iterationNumber' | 'keys'>): string {
  const set = keys.filter(({ isSet }) => isSet).map(({ name, changedAt }) => [name, changedAt])
  return JSON.stringify([iterationNumber, set])
}

function elapsed(wait_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, wait_ms).unref())
}
